"""Problems of files: their lines, their values and their order."""

import math

import pytest

from evenhand.file_problems import InvalidFile, Problem, ProblemLog, describe_value, repeated_names


def test_problem_is_one_line_of_place_value_and_expectation_for_any_name():
    problem = Problem("summeval.jsonl", 12, "candidates[3].scores.coherence", '"six"', "a number from 1 to 5")

    assert str(problem) == 'summeval.jsonl:12: candidates[3].scores.coherence: "six" — expected a number from 1 to 5'

    problem = Problem("d.csv", None, "", "the file is empty", "some content")

    assert str(problem) == "d.csv: the file is empty — expected some content"

    problem = Problem("a\nb.csv", 1, "scores.co\u2028herence", describe_value("x\ud800"), "a number")

    assert str(problem) == 'a\\nb.csv:1: scores.co\\u2028herence: "x\\ud800" — expected a number'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("six", '"six"'),
        ('say "six"\n', '"say \\"six\\"\\n"'),
        (6, "6"),
        (4.5, "4.5"),
        (True, "true"),
        (None, "null"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        ([1, 2], "a list of 2"),
        ({"a": 1}, "an object with 1 keys"),
        (10**400, "an integer of 1329 bits"),
        ("x" * 1234, f'"{"x" * 60}…" (1,234 characters)'),
    ],
)
def test_describe_value_shortens_long_values(value, text):
    assert describe_value(value) == text


def test_log_raises_all_problems_by_file_and_line():
    log = ProblemLog(["b.csv", "a.csv"])
    log.add("a.csv", 1, "", "x", "y")
    log.add("b.csv", 7, "", "x", "y")
    log.add("b.csv", 2, "second", "x", "y")
    log.add("b.csv", 2, "first", "x", "y")
    log.add("b.csv", None, "", "x", "y")

    with pytest.raises(InvalidFile) as caught:
        log.raise_if_any()

    assert [(problem.file, problem.line, problem.field) for problem in caught.value.problems] == [
        ("b.csv", None, ""),
        ("b.csv", 2, "second"),
        ("b.csv", 2, "first"),
        ("b.csv", 7, ""),
        ("a.csv", 1, ""),
    ]


def logged(log: ProblemLog) -> InvalidFile:
    with pytest.raises(InvalidFile) as caught:
        log.raise_if_any()
    return caught.value


def test_log_lists_ten_problems_of_a_kind_and_counts_the_others():
    log = ProblemLog()
    for line in range(1, 101):
        log.add("a.jsonl", line, f"candidates[{line}].text", f"{line}", f'a text, as in "context {line}"')
    log.add("a.jsonl", 200, "context", "missing", "a text")

    invalid = logged(log)

    assert [problem.line for problem in invalid.problems] == [*range(1, 11), 200]
    assert str(invalid.problems[9]).endswith('as in "context 10" (and 90 more of this kind)')
    assert (len(log), invalid.count) == (101, 101)


def test_log_lists_a_problem_once_where_once_is_enough():
    log = ProblemLog()
    for file in ("a.jsonl", "b.jsonl"):
        for line in range(1, 4):
            log.add(file, line, "colour", "unknown key", "one of context, text", most=1)

    assert [str(problem) for problem in logged(log).problems] == [
        f"{file}:1: colour: unknown key — expected one of context, text (and 2 more of this kind)"
        for file in ("a.jsonl", "b.jsonl")
    ]


def test_log_lists_a_thousand_kinds_and_counts_the_problems_of_others():
    log = ProblemLog()
    for number in range(1_500):
        name = "".join(chr(ord("a") + int(digit)) for digit in str(number))
        log.add("a.jsonl", number, name, "unknown key", "one of context, text")

    problems = logged(log).problems

    assert len(problems) == 1_001
    assert str(problems[-1]).startswith("a.jsonl: 500 further problems")


def test_log_stops_reading_at_a_hundred_thousand_problems():
    log = ProblemLog()
    for line in range(1, 100_001):
        log.add("a.jsonl", line, "text", "missing", "a text")

    with pytest.raises(InvalidFile, match=r"a\.jsonl:100001: reading stopped here"):
        log.add("a.jsonl", 100_001, "text", "missing", "a text")


def test_log_discards_the_problems_of_a_file_after_the_first():
    log = ProblemLog()
    for line in range(1, 20):
        log.add("a.jsonl", line, "text", "missing", "a text")
        log.add("b.jsonl", line, "text", "missing", "a text")

    log.discard("a.jsonl", after=1)

    assert [problem.line for problem in logged(log).problems if problem.file == "a.jsonl"] == [1]
    assert len(log) == 20


class CountedName(str):
    """A name that counts how often names are compared."""

    __slots__ = ()
    comparisons = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        CountedName.comparisons += 1
        return str.__eq__(self, other)


def test_repeated_names_compares_each_name_a_few_times_at_most():
    names = [CountedName(f"column {number}") for number in range(30_000)]

    assert repeated_names([*names, CountedName("column 5")]) == ["column 5"]
    assert CountedName.comparisons < 3 * len(names)
