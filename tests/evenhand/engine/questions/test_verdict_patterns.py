"""Verdict patterns: the verdicts that they find in a text."""

import pytest

from evenhand.engine.questions.verdict_patterns import VerdictPattern, find_verdicts


def pattern(*forms, first="A", second="B", tie="", place="anywhere"):
    return VerdictPattern(forms, first, second, tie, place)


def readings(verdict_pattern, text):
    return [verdict.reading for verdict in find_verdicts(verdict_pattern, text)]


@pytest.mark.parametrize(
    ("form", "text", "expected"),
    [
        ("[[<verdict>]]", "Both are fine. [[C]]", ["tie"]),
        ("[[<verdict>]]", "[[A]], no, [[B]]", ["first", "second"]),
        ("Output (<verdict>) is better", "Therefore, output  (A) is\nbetter.", ["first"]),
        ("[RESULT] <verdict>", "Feedback: … [RESULT] B", ["second"]),
        ("[RESULT] <verdict>", "Feedback: … [Result]B.", ["second"]),
        ("[RESULT] <verdict>", "[RESULT] Absurd, [RESULT] BA, [RESULT] b", []),
        ('{"winner": "<verdict>"}', '{"reason": "A is short", "winner":"B", "sure": true}', ["second"]),
        ('{"winner": "<verdict>"}', '```json\n{"winner" : "A"}\n```', ["first"]),
        ("Verdict: <verdict>", "**Verdict:** `A`", ["first"]),
        ("<verdict> wins", "BA wins, A wins", ["first"]),
    ],
)
def test_pattern_finds_the_label_words_in_its_form_only(form, text, expected):
    assert readings(pattern(form, tie="C"), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8 6\nThe first is better.", ["first"]),
        ("6 8", ["second"]),
        ("7.5 7.5", ["tie"]),
        ("7, 9", ["second"]),
        ("11 3", []),
        ("8,5 7", []),
        ("8\n6", []),
        ("-8 6", []),
    ],
)
def test_two_scores_decide_by_the_higher_one_within_the_scale(text, expected):
    assert readings(pattern("<score A> <score B>", "<score A>, <score B>", first="1", second="10"), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rating: [[5]]", [5.0]),
        ("rating: [[ 7.5 ]]", [7.5]),
        ("Rating: [[12]]", []),
        ("Rating: [[5,5]]", []),
        ("Rating: [[05x]]", []),
    ],
)
def test_score_is_read_within_its_scale(text, expected):
    assert readings(pattern("Rating: [[ <score> ]]", first="1", second="10"), text) == expected


def test_positions_are_those_of_the_text_with_its_emphasis():
    (verdict,) = find_verdicts(pattern("Verdict: <verdict>"), "So: **Verdict:** *B*.")

    assert "So: **Verdict:** *B*."[verdict.start : verdict.end] == "Verdict:** *B"
    assert "So: **Verdict:** *B*."[verdict.label_start] == "B"


@pytest.mark.parametrize("piece", ["a ", " ", "[", "8 ", "1", "*", "[[ A"])
def test_text_that_repeats_the_beginning_of_a_form_is_read_to_its_end(piece):
    """A reader that tries a text twice would take hours."""
    text = "a" + piece * 300_000 + "[[A]]"

    found = find_verdicts(pattern("a a a <verdict>", "[ [ [<verdict>]]", "[[<verdict>]]"), text)

    assert found[-1].reading == "first"
    assert found[-1].end == len(text)
