"""CSV files: quoting, line numbers, separators."""

import pytest

from evenhand.file_problems import ProblemLog
from evenhand.formats import read_dataset
from evenhand.formats.tables.opening import open_files
from tests.evenhand.formats.small_files import csv_file, dataset_problems, text_file

HEADER = "context,context_text,candidate,text,coherence\n"


def test_read_dataset_accepts_quoted_newlines_commas_and_quotes():
    file = text_file(HEADER + 'c1,"One,\ntwo.",a,"She said ""no"".\r\nTwice.",3\n')

    context = read_dataset([file]).contexts[0]

    assert (context.text, context.candidates[0].text) == ("One,\ntwo.", 'She said "no".\r\nTwice.')


def test_read_dataset_names_the_line_a_row_starts_on_after_quoted_newlines():
    file = text_file(HEADER + 'c1,"One\ntwo\nthree",a,x,3\nc1,"One\ntwo\nthree",b,y,high\n', "d.csv")

    assert dataset_problems(file) == ['d.csv:5: coherence: "high" — expected a number']


@pytest.mark.parametrize("separator", [";", "\t"])
def test_read_dataset_accepts_other_separators_with_decimal_commas(separator):
    file = text_file(HEADER.replace(",", separator) + separator.join(["c1", "t, u", "a", "x", "3,25"]) + "\n")

    context = read_dataset([file]).contexts[0]

    assert (context.text, context.candidates[0].scores) == ("t, u", {"coherence": 3.25})


def test_read_dataset_notes_decimal_commas_once_for_a_file():
    lines = ("c1;t;a;x;1,234", "c1;t;b;y;2,5")
    file = text_file(HEADER.replace(",", ";") + "\n".join(lines), "d.csv")

    assert read_dataset([file]).notes == ('d.csv: numbers have a decimal comma: "1,234" is read as 1.234',)


def test_read_dataset_refuses_decimal_commas_between_commas_and_thousands_separators():
    file = text_file(HEADER + 'c1,t,a,x,"3,25"\n', "d.csv")

    assert dataset_problems(file) == ['d.csv:2: coherence: "3,25" — expected a number']

    file = text_file(HEADER.replace(",", ";") + "c1;t;a;x;1.234,5\n", "d.csv")

    assert dataset_problems(file) == ['d.csv:2: coherence: "1.234,5" — expected a number']


def test_read_dataset_refuses_a_repeated_column_an_open_quote_and_too_many_columns():
    file = csv_file(["context", "context_text", "candidate", "text", "text"], ["c", "t", "a", "x", "y"])

    assert dataset_problems(file) == ['data.csv:1: the column "text" twice — expected each column once']
    assert dataset_problems(text_file(HEADER + 'c1,t,a,x,3\nc1,t,b,"x,3\n', "d.csv")) == [
        "d.csv:3: unexpected end of data — expected cells separated by commas, quoted with double quotes where needed"
    ]

    file = csv_file([f"column {number}" for number in range(100_000)], name="d.csv")

    assert dataset_problems(file) == ["d.csv:1: 100,000 columns — expected at most 2,000 columns"]


def test_read_dataset_refuses_rows_of_another_length():
    assert dataset_problems(text_file(HEADER + "c1,t,a,x,3\nc1,t,b,x\nc1,t,c,x,3,4\n", "d.csv")) == [
        "d.csv:3: 4 cells — expected 5 cells, as in the header",
        "d.csv:4: 6 cells — expected 5 cells, as in the header",
    ]


def test_read_dataset_accepts_blank_lines_windows_line_ends_long_cells_and_spaces_around_column_names():
    assert len(read_dataset([text_file("\r\n" + HEADER + "\r\nc1,t,a,x,3\r\n\r\n")]).contexts) == 1

    long = "word " * 100_000
    file = csv_file(["context", "context_text", "candidate", "text"], ["c", long, "a", "x"])

    assert read_dataset([file]).contexts[0].text == long

    file = csv_file(["context", " context_text", "candidate ", "text"], ["c", "t", "a", "x"])

    assert read_dataset([file]).contexts[0].candidates[0].key == "a"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("x" * 3_000_100, "a row of more than 3,000,000 characters, or a quote that is never closed"),
        ('"' + ("x" * 999 + "\n") * 3_001, "a row of more than 3,000,000 characters, or a quote that is never closed"),
        ("," * 600_000, "a row of more than 500,000 cells"),
    ],
)
def test_read_dataset_refuses_a_row_too_large_for_memory(row, problem):
    assert dataset_problems(text_file(f"{HEADER}c1,t,a,x,3\n{row}\n", "d.csv")) == [
        f"d.csv:3: {problem} — expected cells separated by commas, quoted with double quotes where needed"
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Results of spring\n\nq,a,m\nWhy?,So.,M\n", "1 cell, but line 3 has 3 cells"),
        ("Results of spring,,\nq,a,m\nWhy?,So.,M\n", "1 cell, but line 2 has 3 cells"),
        ("Results of spring\nq;a\nWhy?;So.\n", "1 cell, but line 2 has 2 cells"),
        ("Dear all\nplease, find, attached\n", "1 cell, but line 2 has 3 cells"),
    ],
)
def test_a_title_above_the_header_is_a_problem_that_says_what_to_do(text, found):
    expected = (
        "the column names in the first row; delete the rows above them, and quote texts that contain the separator"
    )
    assert dataset_problems(text_file(text, "d.csv")) == [f"d.csv:1: {found} — expected {expected}"]


@pytest.mark.parametrize("text", [",q,a\n0,Why?,So.\n1,How?,Yes.\n", "q,a,,,\nWhy?,So.,,,\n", ",q\n0,Why?\n"])
def test_columns_without_a_name_are_no_title(text):
    with open_files([text_file(text, "d.csv")], ProblemLog(), max_bytes=1_000) as [table]:
        assert next(row.values["q"] for row in table) == "Why?"


def test_a_table_without_a_readable_line_lists_its_problems():
    assert dataset_problems(text_file("q,a,m\nWhy?,So.\nHow?,So.,M,1\n", "d.csv")) == [
        "d.csv:2: 2 cells — expected 3 cells, as in the header",
        "d.csv:3: 4 cells — expected 3 cells, as in the header",
    ]
    assert dataset_problems(text_file("q,a\n", "d.csv")) == [
        "d.csv: no line below the column names — expected at least one"
    ]


@pytest.mark.parametrize(
    ("below", "lines"),
    [
        (
            ['Item,"Which\nis better?"', '"{""ImportId"":""QID1""}","{""ImportId"":""QID2"",""timeZone"":""Z""}"'],
            "2 and 4",
        ),
        (['"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"'], "2"),
    ],
)
def test_further_headers_of_a_survey_are_left_out_with_a_note(below, lines):
    log = ProblemLog()
    content = "\n".join(["item,choice", *below, "1,A", "2,B"])

    with open_files([text_file(content, "survey.csv")], log, max_bytes=1_000) as (table,):
        rows = [row.values for row in table]

    assert rows == [{"item": "1", "choice": "A"}, {"item": "2", "choice": "B"}]
    assert log.notes == [f"survey.csv: further headers, not read: lines {lines}"]
