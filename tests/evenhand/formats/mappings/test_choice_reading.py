"""Choices that name the winner, and several choices on one line."""

import pytest

from evenhand.formats import RECORDED_COMPARISON_COLUMNS as COMPARISONS
from evenhand.formats import RECORDED_VOTE_COLUMNS as VOTES
from evenhand.formats import (
    SourceFile,
    TableMapping,
    guess_columns,
    guess_dataset_mapping,
    read_comparisons,
    read_dataset,
    read_votes,
)
from evenhand.formats.mappings.choice_guessing import meaning_of_label
from tests.evenhand.formats.people_tables import csv_bytes, json_lines_bytes
from tests.evenhand.formats.small_files import problems

BOTH_ORDERS = [
    {"id": str(number), "dim": "fun", "left": left, "right": right, "winner": winner}
    for number, left, right, winner in (
        *((1, "A", "B", "A"), (1, "B", "A", "A"), (2, "A", "B", "B")),
        *((2, "B", "A", "B"), (3, "A", "B", "tie"), (3, "B", "A", "B")),
    )
]
OUTCOMES = ["first", "second", "second", "first", "tie", "first"]
COLUMNS = {"context": "id", "attribute": "dim", "first": "left", "second": "right", "choice": "winner"}
BY_NAME = {"first": ("@left",), "second": ("@right",), "tie": ("tie",)}


def table(rows):
    return SourceFile("d.csv", csv_bytes(rows))


def semicolons(rows):
    return SourceFile("d.csv", csv_bytes(rows).replace(b",", b";"))


def lines(rows):
    return SourceFile("d.jsonl", json_lines_bytes(rows))


def read(rows, choices, columns=COLUMNS, notes=None):
    mapping = TableMapping("recorded-comparisons", columns, choices)
    return [one.choice for one in read_comparisons([lines(rows)], mapping=mapping, notes=notes)]


@pytest.mark.parametrize("file", [table, semicolons, lines])
def test_a_choice_may_name_the_winner_wherever_it_stands(file):
    mapping = TableMapping("recorded-comparisons", COLUMNS, BY_NAME)

    assert [one.choice for one in read_comparisons([file(BOTH_ORDERS)], mapping=mapping)] == OUTCOMES


def test_votes_may_name_the_winner_and_numbers_are_names():
    rows = [{**row, "left": 2, "right": 1, "winner": 1, "who": "ann"} for row in BOTH_ORDERS[:1]]
    mapping = TableMapping("recorded-votes", {**COLUMNS, "rater": "who"}, {"first": ("@left",), "second": ("@right",)})

    [vote] = read_votes([lines(rows)], mapping=mapping)

    assert (vote.first, vote.vote.choice) == ("2", "second")


def test_a_fixed_meaning_that_is_the_name_of_the_other_side_is_refused():
    fixed = {"first": ("A",), "second": ("B",)}

    assert problems(lambda: read(BOTH_ORDERS[:2], fixed)) == [
        'd.jsonl:2: winner: "A" — expected one meaning: it is said to mean first, but is the name of second on this '
        "line. If choices name the winner, give the columns of the names: "
        "--choice first=@COLUMN --choice second=@COLUMN"
    ]
    assert read(BOTH_ORDERS[:1], fixed) == ["first"]


def test_a_name_that_is_said_to_mean_a_tie_or_stands_on_both_sides_is_refused():
    tied = {**BY_NAME, "tie": ("A",)}

    assert problems(lambda: read(BOTH_ORDERS[:1], tied))[0].endswith("expected one meaning, not both first and tie")


def test_a_choice_that_names_neither_side_is_refused():
    [problem] = problems(lambda: read([{**BOTH_ORDERS[0], "winner": "C"}], BY_NAME))

    assert problem == 'd.jsonl:1: winner: "C" — expected one of the name in left, the name in right, tie'


@pytest.mark.parametrize("empty", ["", None])
def test_an_empty_choice_of_a_judge_is_unparsed(empty):
    assert read([{**BOTH_ORDERS[0], "winner": empty}], BY_NAME) == ["unparsed"]


def test_names_that_could_be_places_are_noted():
    notes = []

    read(BOTH_ORDERS, BY_NAME, notes=notes)

    assert notes == [
        "winner: choices read as the winner's name, though as places they would mean the other side: 3 "
        '(line 2: "A" is second, line 4: "B" is first, line 6: "B" is first)'
    ]


@pytest.mark.parametrize(
    ("choices", "problem"),
    [
        (
            {"first": ("@left",)},
            "choice: columns that name first — expected --choice first=@COLUMN and --choice second=@COLUMN, once each",
        ),
        (
            {"first": ("@left",), "second": ("@wrong",)},
            'd.jsonl:1: second: no column "wrong" — expected a column of the file: id, dim, left, right, winner',
        ),
    ],
)
def test_both_sides_need_a_column_of_the_file(choices, problem):
    assert problems(lambda: read(BOTH_ORDERS, choices)) == [problem]


@pytest.mark.parametrize("names", [("A", "B"), ("alpha", "beta"), ("1", "2")])
def test_names_of_the_winner_are_guessed(names):
    renamed = dict(zip("AB", names, strict=True))
    rows = [{key: renamed.get(value, value) for key, value in row.items()} for row in BOTH_ORDERS]
    rows = [{**row, "id": f"q{row['id']}"} if names == ("1", "2") else row for row in rows]

    mapping = guess_columns([table(rows)], COMPARISONS)

    assert dict(mapping.choices) == {"first": ("@left",), "second": ("@right",)}


def test_our_own_columns_are_guessed_where_choices_name_the_winner():
    ours = [{"context": "1", "attribute": "fun", "first": "x", "second": "y", "choice": one} for one in ("y", "first")]

    assert guess_columns([table(ours[:1])], COMPARISONS).sides_by_name == {"first": "first", "second": "second"}
    assert guess_columns([table(ours[1:])], COMPARISONS) is None


def test_more_names_than_a_page_lists_are_guessed_too():
    rows = [{"id": str(n), "model_a": f"m{n}", "model_b": f"m{n + 1}", "winner": f"m{n + n % 2}"} for n in range(40)]

    mapping = guess_dataset_mapping([table([*rows, {**rows[0], "id": "x", "winner": "tie"}])], "pairs")

    assert mapping.columns["choice"] == "winner"
    assert dict(mapping.choices) == {"first": ("@model_a",), "second": ("@model_b",), "tie": ("tie",)}


def test_columns_of_questions_are_votes_on_their_attributes():
    answers = [("A", "B", "tie", "x"), ("A", "A", "A", "y"), ("B", "B", "", "x")]
    names = ("fluency", "coherence", "overall", "annotator")
    rows = [
        {
            "prompt": f"Say {n // 2}.",
            "answer_a": "So it is.",
            "answer_b": "Not so.",
            **dict(zip(names, one, strict=True)),
        }
        for n, one in enumerate(answers)
    ]

    mapping = guess_dataset_mapping([table(rows)], "pairs")
    dataset = read_dataset([table(rows)], mapping=mapping)

    assert mapping.columns["choice:fluency"] == "fluency"
    votes = [(vote.attribute, vote.choice, vote.rater) for context in dataset.contexts for vote in context.votes]
    assert votes == [
        *(("fluency", "first", "x"), ("coherence", "second", "x"), ("overall", "tie", "x")),
        *(("fluency", "first", "y"), ("coherence", "first", "y"), ("overall", "first", "y")),
        *(("fluency", "second", "x"), ("coherence", "second", "x")),
    ]


def test_numbers_are_not_guessed_as_questions():
    rows = [{"prompt": "Say.", "answer_a": "So it is.", "answer_b": "Not so.", "turn": 1, "try": 2}] * 2

    mapping = guess_dataset_mapping([table(rows)], "pairs")

    assert not any(field.startswith("choice") for field in mapping.columns)


def test_columns_of_raters_are_recorded_votes_of_each():
    rows = [
        {"q": "c1", "dim": "fun", "model_1": "a", "model_2": "b", "winner1": "model_2", "winner2": "tie"},
        {"q": "c2", "dim": "fun", "model_1": "a", "model_2": "b", "winner1": "", "winner2": "model_1"},
    ]
    notes = []

    mapping = guess_columns([table(rows)], VOTES)
    columns = {"context": "q", "attribute": "dim", **mapping.columns}
    votes = read_votes([table(rows)], mapping=TableMapping(mapping.layout, columns, mapping.choices), notes=notes)

    assert [(one.context, one.vote.rater, one.vote.choice) for one in votes] == [
        ("c1", "winner1", "second"),
        ("c1", "winner2", "tie"),
        ("c2", "winner2", "first"),
    ]
    assert notes == ["empty choices, which are no votes: 1 (line 3: winner1)"]


def test_columns_of_questions_are_recorded_votes_on_their_attributes():
    rows = [{"q": "c1", "l": "a", "r": "b", "fun": "b", "depth": "a", "who": "ann"}]
    columns = {
        "context": "q",
        "first": "l",
        "second": "r",
        "choice:fun": "fun",
        "choice:depth": "depth",
        "rater": "who",
    }
    mapping = TableMapping("recorded-votes", columns, {"first": ("@l",), "second": ("@r",)})

    votes = read_votes([table(rows)], mapping=mapping)

    assert [(one.attribute, one.vote.choice) for one in votes] == [("fun", "second"), ("depth", "first")]


def test_an_empty_choice_on_an_attribute_is_no_vote_and_noted():
    row = {"q": "c1", "l": "a", "r": "b", "fun": "b", "depth": "", "who": "ann"}
    columns = {"context": "q", "first": "l", "second": "r", "choice:fun": "fun", "choice:depth": "depth"}
    mapping = TableMapping("recorded-votes", {**columns, "rater": "who"}, {"first": ("@l",), "second": ("@r",)})
    notes = []

    votes = read_votes([table([row])], mapping=mapping, notes=notes)

    assert [(one.attribute, one.vote.choice) for one in votes] == [("fun", "second")]
    assert notes == ["empty choices, which are no votes: 1 (line 2: depth)"]


@pytest.mark.parametrize(
    ("label", "meaning"),
    [
        *(("Response A", "first"), ("Answer 2", "second"), ("About the same", "tie"), ("Both are equally good", "tie")),
        *(("Cannot tell", "cannot-judge"), ("both bad", "both-bad"), ("neither", ""), ("apple", "")),
    ],
)
def test_meaning_of_label_knows_usual_labels_and_leaves_others_open(label, meaning):
    assert meaning_of_label(label) == meaning
