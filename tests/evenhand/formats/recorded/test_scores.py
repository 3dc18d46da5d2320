"""Reading recorded scores."""

import math

import pytest

from evenhand.formats import ScoreRecord, SourceFile, read_scores
from tests.evenhand.formats.small_files import csv_file, json_lines, problems

HEADER = ["context", "attribute", "candidate", "score"]
ROW = {"context": "c", "attribute": "overall", "candidate": "a", "score": 7.5}


def score_problems(*files: SourceFile) -> list[str]:
    return problems(lambda: read_scores(files))


def test_read_scores_accepts_an_empty_score_as_unparsed():
    assert read_scores([csv_file(HEADER, ["c", "overall", "a", "7.5"], ["c", "overall", "b", ""])]) == [
        ScoreRecord("data.csv", 2, "c", "overall", "a", score=7.5, prompt="recorded", method="scoring"),
        ScoreRecord("data.csv", 3, "c", "overall", "b", score=None, prompt="recorded", method="scoring"),
    ]


def test_read_scores_accepts_what_an_export_writes():
    columns = [*HEADER, "prompt", "method", "text", "error", "prompt_text", "answer_prefix"]
    file = csv_file(columns, ["c", "overall", "a", "", "scoring-1", "metric", "I'd say", "cut off", "Rate.", ""])

    assert read_scores([file]) == [
        ScoreRecord(
            "data.csv", 2, "c", "overall", "a", prompt="scoring-1", method="metric", text="I'd say", error="cut off"
        )
    ]


def test_read_scores_accepts_json_lines():
    file = json_lines(ROW, {**ROW, "candidate": "b", "score": None}, {**ROW, "candidate": "d", "prompt": "p"})

    assert [(one.candidate, one.score, one.prompt) for one in read_scores([file])] == [
        ("a", 7.5, "recorded"),
        ("b", None, "recorded"),
        ("d", 7.5, "p"),
    ]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"candidate": None}, "candidate: missing — expected a text"),
        ({"score": "7"}, 'score: "7" — expected a number'),
        ({"score": False}, "score: false — expected a number"),
        ({"score": -math.inf}, "score: -Infinity — expected a number"),
        (
            {"scores": 1},
            "scores: unknown key — expected one of context, attribute, candidate, score, judge, prompt, method, text, "
            "error, "
            "score_before, problem, thinking_tokens, thinking, "
            "prompt_text, answer_prefix, label_first, label_second, samples_read, samples_unparsed, temperature, "
            "reasonings_cut",
        ),
    ],
)
def test_read_scores_refuses_a_line(changes, problem):
    assert score_problems(json_lines({**ROW, "candidate": "z"}, {**ROW, **changes})) == [f"data.jsonl:2: {problem}"]


@pytest.mark.parametrize("cell", ["Infinity", "7/10", "no"])
def test_read_scores_refuses_a_cell_that_is_not_a_number(cell):
    file = csv_file(HEADER, ["c", "overall", "a", cell])

    assert score_problems(file) == [f'data.csv:2: score: "{cell}" — expected a number']


def test_read_scores_refuses_the_same_candidate_twice():
    assert score_problems(json_lines(ROW, {**ROW, "prompt": "p"}, ROW)) == [
        'data.jsonl:3: candidate: "a" again — expected each candidate once; data.jsonl has it on line 1'
    ]


def test_read_scores_requires_the_score_column():
    assert score_problems(csv_file(["context", "attribute", "candidate"], ["c", "overall", "a"])) == [
        "data.csv:1: score: missing — expected a column of this name; the file has context, attribute, candidate"
    ]
