"""XLSX workbooks: cells, sheets, and workbooks that are broken."""

import datetime
import io

import openpyxl

from judging.formats import SourceFile, TableMapping, read_dataset
from tests.judging.formats.small_files import dataset_problems, problems

MAPPING = TableMapping("candidates", {"context_text": "q", "text": "a", "system": "m", "score:x": "s"})
HEADER = ["q", "a", "m", "s"]


def workbook(*rows, sheets=()):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for sheet in sheets:
        book.create_sheet(sheet)
    buffer = io.BytesIO()
    book.save(buffer)
    return SourceFile("d.xlsx", buffer.getvalue())


def read(*rows, sheets=()):
    return read_dataset([workbook(*rows, sheets=sheets)], mapping=MAPPING)


def test_cells_become_texts_and_numbers():
    record = read(HEADER, ["Why?", 42, datetime.date(2026, 1, 2), 3.25], [], ["Why?", "x", 7.0, 4])

    first, second = record.contexts[0].candidates
    assert (first.text, first.system[:10], first.scores) == ("42", "2026-01-02", {"x": 3.25})
    assert (second.system, second.scores) == ("7", {"x": 4.0})


def test_only_the_first_sheet_is_read_and_the_others_are_noted():
    record = read(HEADER, ["Why?", "So.", "M", 1], sheets=["Notes"])

    assert record.notes == ("d.xlsx: only the first sheet is read; ignored: Notes",)


def test_problems_name_the_row():
    file = workbook(HEADER, ["Why?", "So.", "M", 1], ["Why?", "No.", "N", "high"], ["Why?", "Yes.", "O", 1, "further"])

    assert problems(lambda: read_dataset([file], mapping=MAPPING)) == [
        'd.xlsx:3: s: "high" — expected a number, or an empty cell for no score; for words: --choice NUMBER=WORD',
        "d.xlsx:4: 5 cells — expected at most 4 cells, as in the header",
    ]


def test_a_title_above_the_header_is_a_problem_that_says_what_to_do():
    file = workbook(["Results of the annotation, spring 2026"], [], HEADER, ["Why?", "So.", "M", 1], ["Note"])

    problem = "1 cell, but line 3 has 4 cells — expected the column names in the first row; delete the rows above them"
    assert dataset_problems(file) == [f"d.xlsx:1: {problem}"]
    assert problems(lambda: read_dataset([file], mapping=MAPPING)) == [f"d.xlsx:1: {problem}"]


def test_read_dataset_refuses_an_empty_sheet():
    assert dataset_problems(workbook()) == ["d.xlsx: the first sheet is empty — expected a table with a header"]


def test_read_dataset_refuses_a_broken_workbook():
    file = workbook(HEADER)
    broken = SourceFile("d.xlsx", file.content.replace(b"[Content_Types].xml", b"[Content_Tapes].xml"))

    [problem] = dataset_problems(broken)

    assert problem.startswith("d.xlsx: not readable as XLSX")
