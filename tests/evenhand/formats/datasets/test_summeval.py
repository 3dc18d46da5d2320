"""SummEval: one article per line."""

import pytest

from evenhand.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord, read_dataset
from tests.evenhand.formats.small_files import dataset_problems, json_lines


def summary(**changes: object) -> dict[str, object]:
    return {"system": "M8", "text": "Short.", "scores": {"relevance": 4.5, "coherence": 1}, **changes}


def article(**changes: object) -> dict[str, object]:
    return {"id": "dm-1", "source": "Long.", "candidates": [summary()], **changes}


def test_read_dataset_accepts_articles_with_their_summaries():
    file = json_lines(article(reference="Human.", references=["Human."], candidates=[summary(), summary(system="M9")]))

    scores = {"relevance": 4.5, "coherence": 1}
    assert read_dataset([file]) == DatasetRecord(
        context_noun="passage",
        candidate_noun="summary",
        attributes=(
            AttributeRecord("relevance", minimum=1, maximum=5),
            AttributeRecord("coherence", minimum=1, maximum=5),
        ),
        contexts=(
            ContextRecord(
                key="dm-1",
                text="Long.",
                reference="Human.",
                candidates=(
                    CandidateRecord("M8", "Short.", system="M8", scores=scores),
                    CandidateRecord("M9", "Short.", system="M9", scores=scores),
                ),
            ),
        ),
        format="summeval",
    )


def test_read_dataset_leaves_the_range_of_other_attributes_open():
    file = json_lines(article(candidates=[summary(scores={"coverage": 17})]))

    assert read_dataset([file]).attributes == (AttributeRecord("coverage"),)


def test_read_dataset_accepts_numbers_as_identifiers():
    file = json_lines(article(id=7, candidates=[summary(system=0)]))

    context = read_dataset([file]).contexts[0]

    assert (context.key, context.candidates[0].key) == ("7", "0")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (article(id=None), "id: null — expected a text"),
        (article(source=""), 'source: "" — expected a text that is not empty'),
        (article(candidates=[]), "candidates: a list of 0 — expected a list of at least one object"),
        (article(candidates=[summary(text=None)]), "candidates[0].text: null — expected a text"),
        (article(candidates=[summary(scores=None)]), "candidates[0].scores: null — expected an object"),
        (
            article(candidates=[summary(scores={"coherence": "six"})]),
            'candidates[0].scores.coherence: "six" — expected a number from 1 to 5',
        ),
        (
            article(candidates=[summary(), summary()]),
            'candidates[1].system: "M8" again — expected each candidate of context "dm-1" once',
        ),
    ],
)
def test_read_dataset_refuses_an_article(line, problem):
    assert dataset_problems(json_lines(line)) == [f"data.jsonl:1: {problem}"]


def test_read_dataset_refuses_a_repeated_article():
    one, two = json_lines(article(), name="1"), json_lines(article(), name="2")

    assert dataset_problems(one, two) == ['2:1: id: "dm-1" again — expected each context once; 1 has it on line 1']
