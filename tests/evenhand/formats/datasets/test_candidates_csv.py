"""Our own CSV format: one candidate per line, one column per attribute."""

import pytest

from evenhand.formats import CandidateRecord, ContextRecord, read_dataset
from tests.evenhand.formats.small_files import csv_file, dataset_problems

HEADER = ["context", "context_text", "candidate", "system", "text", "subset", "coherence", "fluency"]


def test_read_dataset_groups_lines_by_context():
    file = csv_file(
        HEADER,
        ["c1", "One.", "a", "M1", "x", "news", "4.5", "3"],
        ["c2", "Two.", "a", "", "y", "", "1", "2"],
        ["c1", "One.", "b", "M2", "", "news", "", "1e0"],
    )

    dataset = read_dataset([file])

    assert dataset.format == "csv"
    assert (dataset.context_noun, dataset.candidate_noun) == ("", "")
    assert [attribute.name for attribute in dataset.attributes] == ["coherence", "fluency"]
    assert dataset.contexts == (
        ContextRecord(
            key="c1",
            text="One.",
            subset="news",
            candidates=(
                CandidateRecord("a", "x", system="M1", scores={"coherence": 4.5, "fluency": 3}),
                CandidateRecord("b", "", system="M2", scores={"fluency": 1}),
            ),
        ),
        ContextRecord(
            key="c2", text="Two.", candidates=(CandidateRecord("a", "y", scores={"coherence": 1, "fluency": 2}),)
        ),
    )


def test_read_dataset_accepts_a_table_without_optional_columns_and_attributes():
    dataset = read_dataset([csv_file(["text", "candidate", "context_text", "context"], ["x", "a", "t", "c"])])

    assert dataset.attributes == ()
    assert dataset.contexts == (ContextRecord("c", "t", candidates=(CandidateRecord("a", "x"),)),)


NO_NUMBERS = ("high", "nan", "inf", "1_000", "4,5", "0x1", "--1", "1e400", "४")


@pytest.mark.parametrize(
    ("cell", "limits"),
    [
        *((cell, "") for cell in NO_NUMBERS),
        *((cell, " from -1e+50 to 1e+50") for cell in ("-1.1e50", "1.7976931348623157e308")),
    ],
)
def test_read_dataset_refuses_a_cell_that_is_no_number_or_too_large_to_be_a_score(cell, limits):
    row = ["c1", "One.", "a", "M1", "x", "news", "4", cell]

    [problem] = dataset_problems(csv_file(HEADER, row, name="d.csv"))

    assert problem == f'd.csv:2: fluency: "{cell}" — expected a number{limits}'


@pytest.mark.parametrize(
    ("column", "cell", "problem"),
    [
        (0, "", "context: missing — expected a text"),
        (1, "", 'context_text: "" — expected the same as in data.csv, line 2: it is the same context'),
        (1, "Other.", 'context_text: "Other." — expected the same as in data.csv, line 2: it is the same context'),
        (2, "", "candidate: missing — expected a text"),
        (2, "a", 'candidate: "a" again — expected each candidate of context "c1" once'),
        (5, "web", 'subset: "web" — expected the same as in data.csv, line 2: it is the same context'),
    ],
)
def test_read_dataset_refuses_a_line(column, cell, problem):
    good = ["c1", "One.", "a", "M1", "x", "news", "4", "4"]
    row = ["c1", "One.", "b", "M1", "x", "news", "4", "4"]
    row[column] = cell

    assert dataset_problems(csv_file(HEADER, good, row)) == [f"data.csv:3: {problem}"]


def test_read_dataset_refuses_the_subset_all_and_a_table_without_lines():
    assert dataset_problems(csv_file(HEADER, ["c1", "One.", "a", "M1", "x", "all", "4", "4"])) == [
        'data.csv:2: subset: "all" — expected another name: in reports "all" is the whole dataset'
    ]
    assert dataset_problems(csv_file(HEADER)) == ["data.csv: no contexts — expected at least one"]


def test_read_dataset_names_the_columns_that_are_missing():
    file = csv_file(["context", "candidate", "text", "note"], ["c", "a", "x", "n"])

    assert dataset_problems(file, format="csv") == [
        "data.csv:1: context_text: missing — expected a column of this name; "
        "the file has context, candidate, text, note"
    ]


def test_read_dataset_refuses_a_column_without_a_name():
    file = csv_file(["", "context", "context_text", "candidate", "text"], ["0", "c", "t", "a", "x"])

    assert dataset_problems(file) == [
        "data.csv:1: a column without a name — expected a name; all columns except "
        "context, context_text, candidate, text, system, subset are attributes"
    ]


def test_read_dataset_takes_subsets_that_differ_in_outer_spaces_for_one():
    rows = (["c1", "One.", name, "", "x", "news ", "", ""] for name in ("a", "b"))

    (context,) = read_dataset([csv_file(HEADER, *rows)]).contexts

    assert (context.subset, len(context.candidates)) == ("news", 2)
