"""Reading recorded comparisons."""

import math

import pytest

from evenhand.formats import ComparisonRecord, read_comparisons
from tests.evenhand.formats.small_files import SourceFile, csv_file, json_lines, problems, text_file

HEADER = ["context", "attribute", "first", "second", "p_first"]
ROW = {"context": "c", "attribute": "overall", "first": "a", "second": "b", "p_first": 0.75}
AGREEING = [(0.9, "first"), (0.1, "second"), (0.5, "tie")]


def row(**changes: object) -> dict[str, object]:
    """Return a comparison with these changes. A key set to None is left out."""
    return {key: value for key, value in {**ROW, **changes}.items() if value is not None}


def comparison_problems(*files: SourceFile) -> list[str]:
    return problems(lambda: read_comparisons(files))


def test_read_comparisons_accepts_a_table_with_only_the_required_columns():
    file = csv_file(HEADER, ["c", "overall", "a", "b", "0.75"], ["c", "overall", "b", "a", "1"])

    assert read_comparisons([file]) == [
        ComparisonRecord(
            "data.csv", 2, "c", "overall", "a", "b", p_first=0.75, prompt="recorded", method="comparative"
        ),
        ComparisonRecord("data.csv", 3, "c", "overall", "b", "a", p_first=1, prompt="recorded", method="comparative"),
    ]


def test_read_comparisons_accepts_what_an_export_writes():
    columns = [*HEADER, "choice", "prompt", "method", "decision", "raw_first", "raw_second", "text", "error"]
    columns += ["prompt_text", "answer_prefix", "label_first", "label_second"]
    rest = ["Which?\n", "Summary", " A", " B"]
    answered = [
        "c",
        "overall",
        "a",
        "b",
        "0.75",
        "",
        "comparative-1",
        "prepair",
        "first",
        "-0.5",
        "-inf",
        "A.",
        "",
        *rest,
    ]
    unparsed = ["c", "overall", "b", "a", "", "unparsed", "comparative-1", "prepair", "", "", "", "Well", "", *rest]
    failed = ["c", "overall", "b", "d", "", "error", "comparative-1", "prepair", "", "", "", "", "too long", *rest]

    comparisons = read_comparisons([csv_file(columns, answered, unparsed, failed)])

    place = {"context": "c", "attribute": "overall", "prompt": "comparative-1", "method": "prepair"}
    assert comparisons == [
        ComparisonRecord(
            "data.csv", 2, first="a", second="b", p_first=0.75, text="A.", raw_first=-0.5, raw_second=-math.inf, **place
        ),
        ComparisonRecord("data.csv", 4, first="b", second="a", choice="unparsed", text="Well", **place),
        ComparisonRecord("data.csv", 6, first="b", second="d", choice="error", error="too long", **place),
    ]


def test_read_comparisons_accepts_json_lines_with_null_and_empty_values_as_missing():
    file = json_lines(
        row(raw_first=None, choice=""),
        {**ROW, "second": "d", "p_first": None, "choice": "tie", "prompt": None, "text": None, "raw_first": None},
    )

    assert read_comparisons([file]) == [
        ComparisonRecord("data.jsonl", 1, "c", "overall", "a", "b", p_first=0.75),
        ComparisonRecord("data.jsonl", 2, "c", "overall", "a", "d", choice="tie"),
    ]


@pytest.mark.parametrize("choice", ["first", "second", "tie", "unparsed", "error"])
def test_read_comparisons_keeps_the_choice_next_to_p_first(choice):
    [comparison] = read_comparisons([json_lines(row(choice=choice))])

    assert (comparison.p_first, comparison.choice) == (0.75, choice)


@pytest.mark.parametrize("p_first", [0, 1, 0.5, 1e-300])
def test_read_comparisons_accepts_every_probability(p_first):
    [comparison] = read_comparisons([json_lines(row(p_first=p_first))])

    assert comparison.p_first == p_first


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"context": None}, "context: missing — expected a text"),
        ({"context": ""}, "context: missing — expected a text"),
        ({"context": 0}, "context: 0 — expected a text"),
        ({"attribute": " "}, 'attribute: " " — expected a text that is not empty'),
        ({"first": None}, "first: missing — expected a text"),
        ({"second": "a"}, 'second: "a" — expected a candidate other than first'),
        ({"p_first": None}, "neither p_first nor choice — expected one of them"),
        ({"p_first": 1.01}, "p_first: 1.01 — expected a number from 0 to 1"),
        ({"p_first": -1}, "p_first: -1 — expected a number from 0 to 1"),
        ({"p_first": "0.5"}, 'p_first: "0.5" — expected a number from 0 to 1'),
        ({"p_first": True}, "p_first: true — expected a number from 0 to 1"),
        ({"p_first": math.inf}, "p_first: Infinity — expected a number from 0 to 1"),
        ({"choice": "First"}, 'choice: "First" — expected "first" or "second" or "tie" or "unparsed" or "error"'),
        ({"raw_first": math.nan}, "raw_first: NaN — expected a number"),
        ({"raw_second": math.inf}, "raw_second: Infinity — expected a number"),
        ({"method": "m" * 101}, f'method: "{"m" * 60}…" (101 characters) — expected at most 100 characters'),
        ({"text": "\0"}, 'text: "\\u0000" — expected text without the character U+0000 and without lone surrogates'),
        (
            {"promt": "p"},
            "promt: unknown key — expected one of context, attribute, first, second, p_first, choice, judge, prompt, "
            "method, "
            "text, raw_first, raw_second, raw_tie, error, p_first_before, problem, "
            "thinking_tokens, thinking, decision, drawn, prompt_text, answer_prefix, label_first, "
            "label_second, label_tie, samples_first, samples_second, samples_tie, samples_unparsed, "
            "temperature, reasonings_cut",
        ),
    ],
)
def test_read_comparisons_refuses_a_line(changes, problem):
    assert comparison_problems(json_lines(row(first="z"), row(**changes))) == [f"data.jsonl:2: {problem}"]


@pytest.mark.parametrize("cell", ["inf", "-0.1", "1.5", "50%", "0,5", "yes"])
def test_read_comparisons_refuses_a_cell_that_is_not_a_probability(cell):
    file = csv_file(HEADER, ["c", "overall", "a", "b", cell])

    assert comparison_problems(file) == [f'data.csv:2: p_first: "{cell}" — expected a number from 0 to 1']


def test_read_comparisons_names_columns_that_are_missing_or_unknown():
    file = csv_file(["context", "attribute", "frist", "second", "choice"], ["c", "overall", "a", "b", "first"])

    [unknown, missing] = comparison_problems(file)

    assert unknown.startswith('data.csv:1: unknown column "frist" — expected one of context, attribute, first')
    assert missing == (
        "data.csv:1: first: missing — expected a column of this name; the file has "
        "context, attribute, frist, second, choice"
    )


@pytest.mark.parametrize("empty", ["", "NaN", "null", "n/a"])
def test_read_comparisons_takes_an_empty_answer_for_unparsed(empty):
    table = csv_file([*HEADER[:4], "choice"], ["c", "overall", "a", "b", empty], ["c", "overall", "b", "a", "tie"])
    lines = json_lines({**row(), "p_first": None}, row(first="z", p_first=math.nan), row(first="y", choice=""))

    assert [(one.p_first, one.choice) for one in read_comparisons([table])] == [(None, "unparsed"), (None, "tie")]
    assert [(one.p_first, one.choice) for one in read_comparisons([lines])] == [
        *((None, "unparsed"), (None, "unparsed"), (0.75, ""))
    ]


def test_read_comparisons_takes_an_empty_answer_with_an_error_for_an_error():
    (one,) = read_comparisons([json_lines({**row(error="timeout"), "p_first": None})])

    assert (one.choice, one.error) == ("error", "timeout")


def test_read_comparisons_refuses_the_same_ordered_pair_twice():
    one = json_lines(row(), row(first="b", second="a"), row(p_first=0.1), name="1.jsonl")
    two = json_lines(row(), row(prompt="p"), row(method="m"), row(attribute="x"), row(context="d"), name="2.jsonl")

    end = "— expected each ordered pair once; 1.jsonl has it on line 1"
    assert comparison_problems(one, two) == [
        f'1.jsonl:3: "a" against "b" again {end}',
        f'2.jsonl:1: "a" against "b" again {end}',
    ]


def test_read_comparisons_names_the_line_and_column_of_broken_json():
    assert comparison_problems(text_file('{"context": "c", "attr', "c.jsonl")) == [
        "c.jsonl:1: column 18: Unterminated string starting at — expected one whole JSON object on the line"
    ]


def test_read_comparisons_reads_one_judge_of_a_file_and_notes_the_others():
    file = json_lines(row(judge="GPT-4"), row(judge="Llama"), row(judge="Falcon"), row(first="z"))
    notes: list[str] = []

    records = read_comparisons([file], judge="Llama", notes=notes)

    assert [(one.first, one.judge) for one in records] == [("a", "Llama"), ("z", "")]
    assert notes == ['not used, comparisons of other judges: 2 ("GPT-4", "Falcon")']


@pytest.mark.parametrize("cell", ["-inf", "-Infinity"])
def test_read_comparisons_reads_a_log_probability_of_minus_infinity(cell):
    [comparison] = read_comparisons([csv_file([*HEADER, "raw_tie"], ["c", "overall", "a", "b", "1", cell])])

    assert comparison.raw_tie == -math.inf


def test_read_comparisons_refuses_a_judge_that_the_file_does_not_have():
    file = json_lines(row(judge="GPT-4"), row(judge="Llama"))

    assert problems(lambda: read_comparisons([file], judge="gpt-4")) == [
        'data.jsonl: judge: "gpt-4" — expected a judge of the file: GPT-4, Llama; or no name, for all of them'
    ]


def test_read_comparisons_accepts_the_same_pair_from_two_judges():
    assert len(read_comparisons([json_lines(row(judge="GPT-4"), row(judge="Llama"))])) == 2


def test_read_comparisons_counts_choices_that_contradict_their_probability():
    notes: list[str] = []
    agreeing = [row(first=f"c{n}", p_first=p, choice=choice) for n, (p, choice) in enumerate(AGREEING)]
    lines = [*agreeing, row(p_first=0.9, choice="second"), row(first="z", p_first=0.5, choice="first")]

    read_comparisons([json_lines(*lines)], notes=notes)

    assert notes == [
        "choices that contradict their p_first, which counts: 2 (line 4: 0.9 and second, line 5: 0.5 and first)"
    ]
