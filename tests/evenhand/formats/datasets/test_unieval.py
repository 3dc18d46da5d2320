"""UniEval-style rows: one output per row."""

import pytest

from evenhand.formats import AttributeRecord, CandidateRecord, ContextRecord, read_dataset
from evenhand.formats.datasets.scored_outputs import TOPICAL_CHAT_ATTRIBUTES
from tests.evenhand.formats.small_files import dataset_problems, json_array

SIX = {"understandability": 1, "naturalness": 3, "coherence": 2.5, "engagingness": 1, "groundedness": 0, "overall": 5}


def row(**changes: object) -> dict[str, object]:
    return {"source": "Hi!", "system_id": "A", "system_output": "Hello.", "scores": {"fluency": 9}, **changes}


def test_read_dataset_joins_rows_that_share_a_source_wherever_they_stand():
    file = json_array(row(), row(source="Bye!"), row(system_id="B", system_output="", reference="late"))

    dataset = read_dataset([file])

    assert dataset.format == "unieval"
    assert (dataset.context_noun, dataset.candidate_noun) == ("passage", "summary")
    assert dataset.attributes == (AttributeRecord("fluency"),)
    assert dataset.contexts == (
        ContextRecord(
            key="0",
            text="Hi!",
            candidates=(
                CandidateRecord("A", "Hello.", system="A", scores={"fluency": 9}),
                CandidateRecord("B", "", system="B", scores={"fluency": 9}),
            ),
        ),
        ContextRecord(key="1", text="Bye!", candidates=(CandidateRecord("A", "Hello.", "A", {"fluency": 9}),)),
    )


def test_read_dataset_refuses_two_references_of_one_context():
    assert dataset_problems(json_array(row(reference="One."), row(system_id="B", reference="Other."))) == [
        'data.json:11: reference: "Other." — expected the same as in data.json, line 2: it is the same context'
    ]


def test_read_dataset_counts_contexts_through_several_files():
    one, two = json_array(row(), name="1"), json_array(row(source="Bye!"), row(system_id=0), name="2")

    contexts = read_dataset([one, two]).contexts

    assert [(one.key, [candidate.key for candidate in one.candidates]) for one in contexts] == [
        ("0", ["A", "0"]),
        ("1", ["A"]),
    ]


def test_read_dataset_treats_rows_with_a_knowledge_context_as_dialogues():
    dataset = read_dataset([json_array(row(context="A fact."))])

    assert (dataset.context_noun, dataset.candidate_noun) == ("dialogue", "response")


def test_read_dataset_knows_the_ranges_and_other_names_of_topical_chat():
    dataset = read_dataset([json_array(row(context="A fact.", scores=SIX))])

    assert dataset.attributes == TOPICAL_CHAT_ATTRIBUTES
    assert [one.name for one in dataset.attributes if "comparative assessment" in one.definition] == [
        "understandability",
        "coherence",
    ]


def test_read_dataset_assumes_no_ranges_for_other_sets_of_attributes():
    scores = {**SIX, "coherence": 5}
    del scores["groundedness"]

    dataset = read_dataset([json_array(row(context="A fact.", scores=scores))])

    assert dataset.attributes == tuple(AttributeRecord(name) for name in scores)


def test_read_dataset_refuses_a_topical_chat_score_outside_its_range():
    file = json_array(row(context="A fact.", scores={**SIX, "coherence": 5}))

    assert dataset_problems(file) == ["data.json:2: scores.coherence: 5 — expected a number from 1 to 3"]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"source": None}, "source: null — expected a text"),
        ({"source": "", "system_id": "A"}, 'source: "" — expected a text that is not empty'),
        ({"system_id": None}, "system_id: null — expected a text"),
        ({"system_id": "A"}, 'system_id: "A" again — expected each candidate of context "0" once'),
        ({"system_output": 5}, "system_output: 5 — expected a text"),
        ({"scores": {"fluency": None}}, "scores.fluency: null — expected a number"),
        ({"scores": 4}, "scores: 4 — expected an object"),
    ],
)
def test_read_dataset_refuses_a_row(changes, problem):
    file = json_array(row(), row(**{"system_id": "B", **changes}))

    assert dataset_problems(file) == [f"data.json:10: {problem}"]
