"""LLMBar: one gold vote per context, one subset per file."""

import pytest

from evenhand.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord, VoteRecord, read_dataset
from tests.evenhand.formats.small_files import dataset_problems, json_array

ITEM = {"input": "Say yes.", "output_1": "Yes.", "output_2": "No.", "label": 1}


def item(**changes: object) -> dict[str, object]:
    return {**ITEM, **changes}


def test_read_dataset_turns_each_item_into_a_context_with_a_gold_vote():
    file = json_array(item(), item(input="Say no.", label=2), name="Adversarial/Neighbor.json")

    outputs = (CandidateRecord("1", "Yes."), CandidateRecord("2", "No."))
    assert read_dataset([file]) == DatasetRecord(
        context_noun="instruction",
        candidate_noun="output",
        attributes=(AttributeRecord("overall"),),
        contexts=(
            ContextRecord(
                key="Neighbor/0",
                text="Say yes.",
                subset="Neighbor",
                candidates=outputs,
                votes=(VoteRecord("overall", "1", "2", "first", "gold"),),
            ),
            ContextRecord(
                key="Neighbor/1",
                text="Say no.",
                subset="Neighbor",
                candidates=outputs,
                votes=(VoteRecord("overall", "1", "2", "second", "gold"),),
            ),
        ),
        format="llmbar",
    )


def test_read_dataset_makes_one_dataset_of_several_files():
    natural, manual = json_array(item(), name="Natural.json"), json_array(item(), name=r"C:\llmbar\Manual.json")

    contexts = read_dataset([natural, manual]).contexts

    assert [(one.key, one.subset) for one in contexts] == [("Natural/0", "Natural"), ("Manual/0", "Manual")]


def test_read_dataset_refuses_files_of_one_stem_a_file_called_all_and_an_item_without_a_key():
    one, two = json_array(item(), name="a/Manual.json"), json_array(item(), name="b/Manual.json")
    file = json_array({"input": "Say yes.", "output_1": "Yes.", "label": 1}, name="Natural.json")

    assert dataset_problems(one, two) == [
        'b/Manual.json:2: "Manual/0" again — expected each context once; a/Manual.json has it on line 2'
    ]
    assert dataset_problems(json_array(item(), item(), name="all.json")) == [
        'all.json: the subset "all" — expected another name: in reports "all" is the whole dataset'
    ]
    assert dataset_problems(file) == ["Natural.json:2: output_2: missing — expected a text"]


@pytest.mark.parametrize(
    ("label", "described"), [(0, "0"), (3, "3"), ("1", '"1"'), (True, "true"), (1.0, "1.0"), (None, "null")]
)
def test_read_dataset_refuses_another_label(label, described):
    file = json_array(item(label=label), name="Natural.json")

    assert dataset_problems(file) == [f"Natural.json:2: label: {described} — expected 1 or 2"]


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("input", "", '"" — expected a text that is not empty'),
        ("input", 5, "5 — expected a text"),
        ("output_1", None, "null — expected a text"),
        ("output_2", ["No."], "a list of 1 — expected a text"),
    ],
)
def test_read_dataset_refuses_an_item(key, value, problem):
    file = json_array(item(), item(**{key: value}), name="Natural.json")

    assert dataset_problems(file) == [f"Natural.json:8: {key}: {problem}"]
