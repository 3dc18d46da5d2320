"""Pairs with a known answer."""

import pytest

from evenhand.formats import SourceFile
from evenhand.formats.recorded import known_pairs
from evenhand.formats.recorded.known_pairs import KnownPair, read_known_pairs
from tests.evenhand.formats.small_files import csv_file, json_lines, problems

HEADER = ["context", "first", "second", "answer"]
ROW = {"context": "c", "first": "a", "second": "b", "answer": "first"}


def pair_problems(file: SourceFile) -> list[str]:
    return problems(lambda: read_known_pairs(file))


def test_known_pairs_are_read_with_their_details():
    assert read_known_pairs(json_lines(ROW | {"attribute": "fun", "explanation": "It is funnier."})) == [
        KnownPair("c", "a", "b", "first", "It is funnier.", "fun", "data.jsonl", 1)
    ]


def test_a_pair_in_the_other_order_is_the_same_pair_but_may_have_an_answer_on_each_attribute():
    assert pair_problems(csv_file(HEADER, ["c", "a", "b", "tie"], ["c", "b", "a", "tie"], ["d", "a", "b", "tie"])) == [
        'data.csv:3: "b" against "a" again — expected each pair once; data.csv has it on line 2'
    ]
    assert len(read_known_pairs(json_lines(ROW, ROW | {"attribute": "fun"}))) == 2


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"answer": "both-bad"}, 'answer: "both-bad" — expected "first" or "second" or "tie"'),
        ({"second": "a"}, 'second: "a" — expected a candidate other than first'),
        ({"explanation": "e" * 2_001}, f'explanation: "{"e" * 60}…" (2,001 characters) — expected at most 2000'),
        ({"why": "x"}, "why: unknown key — expected one of context, first, second, answer, attribute, explanation"),
    ],
)
def test_a_wrong_known_pair_is_refused(changes, problem):
    [line] = pair_problems(json_lines(ROW | changes))

    assert line.startswith(f"data.jsonl:1: {problem}")


def test_a_file_without_pairs_or_with_too_many_is_refused(monkeypatch):
    monkeypatch.setattr(known_pairs, "MOST_KNOWN_PAIRS", 1)

    assert pair_problems(csv_file(HEADER)) == ["data.csv: no line — expected at least one pair"]
    assert pair_problems(json_lines(ROW, ROW | {"context": "d"})) == ["data.jsonl: 2 pairs — expected at most 1"]
