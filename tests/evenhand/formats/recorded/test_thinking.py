"""Recorded answers with a judge's thinking."""

import pytest

from evenhand.file_problems import InvalidFile
from evenhand.formats.recorded.judgments import read_comparisons, read_scores
from evenhand.formats.recorded.recorded_table import PROBLEMS_BY_OUTCOME
from judging.models import AnswerProblem
from tests.evenhand.formats.small_files import json_lines

PAIR = {"context": "c", "attribute": "overall", "first": "a", "second": "b"}
TEXT = {"context": "c", "attribute": "overall", "candidate": "a"}


def test_comparison_and_score_have_their_thinking():
    row = {"p_first": 0.75, "p_first_before": 0.25, "problem": "cut-reasoning", "thinking_tokens": 9, "thinking": "A?"}

    [comparison] = read_comparisons([json_lines(PAIR | row)])

    assert {name: getattr(comparison, name) for name in row} == row

    row = {"score": 4.0, "score_before": 3.5, "problem": "empty-reasoning", "thinking_tokens": 1, "thinking": "\n"}

    [score] = read_scores([json_lines(TEXT | row)])

    assert {name: getattr(score, name) for name in row} == row


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"p_first": 0.5, "problem": "refusal"}, 'problem: "refusal" — expected "empty-reasoning" or "cut-reasoning"'),
        ({"choice": "error", "problem": "refusal"}, 'problem: "refusal" — expected no problem for an error'),
        ({"p_first": 0.5, "thinking_tokens": 1.5}, "thinking_tokens: 1.5 — expected a whole number"),
        ({"p_first": 0.5, "thinking_tokens": -1}, "thinking_tokens: -1 — expected a number from 0 to 2.14748e+09"),
        ({"p_first": 0.5, "p_first_before": 2}, "p_first_before: 2 — expected a number from 0 to 1"),
    ],
)
def test_thinking_that_cannot_be_is_refused(row, problem):
    with pytest.raises(InvalidFile) as refused:
        read_comparisons([json_lines(PAIR | row)])

    assert [str(one) for one in refused.value.problems] == [f"data.jsonl:1: {problem}"]


def test_an_error_in_place_of_a_score_has_no_problem():
    with pytest.raises(InvalidFile) as refused:
        read_scores([json_lines(TEXT | {"error": "timeout", "problem": "refusal", "score": None})])

    assert [one.expected for one in refused.value.problems] == ["no problem for an error"]


def test_every_kind_of_problem_can_be_recorded():
    assert sorted(PROBLEMS_BY_OUTCOME["unparsed"]) == sorted(AnswerProblem.values)
