"""Workbooks with shared texts, as Excel writes them, and workbooks that would fill the memory."""

import pytest

from evenhand.formats import TableMapping, read_dataset
from evenhand.formats.tables import xlsx_workbook
from tests.evenhand.formats.small_files import problems
from tests.evenhand.formats.workbooks import NAMESPACE, packed, shared_workbook, text

MAPPING = TableMapping("candidates", {"context_text": "q", "text": "a", "system": "m"})


def read(file):
    return read_dataset([file], mapping=MAPPING)


def test_shared_texts_are_read_in_any_order_and_form():
    bold = "<r><t>In </t></r><r><rPr><b/></rPr><t>bold</t></r>"
    strings = [*map(text, ["m", "a", "q", "N", "M", "Why?"]), bold, "<t/>"]

    record = read(shared_workbook(strings, [(2, 1, 0), (5, 6, 4), (5, 7, 3)]))

    (context,) = record.contexts
    assert context.text == "Why?"
    assert [(one.system, one.text) for one in context.candidates] == [("M", "In bold"), ("N", "")]


def test_cell_with_an_unknown_shared_text_is_refused():
    file = shared_workbook(map(text, ["q", "a", "m"]), [(0, 1, 2), (0, 1, 9)])

    [problem] = problems(lambda: read(file))

    reason = "a cell names the text 9, which the workbook does not have"
    assert problem == f"d.xlsx:1: not readable as XLSX: {reason} — expected a whole workbook, or CSV"


@pytest.mark.parametrize(
    ("strings", "cells"), [pytest.param("", "<c/>" * 30_000, id="row"), pytest.param("<t/>" * 30_000, "", id="text")]
)
def test_row_or_text_that_would_fill_the_memory_is_refused(monkeypatch, strings, cells):
    monkeypatch.setattr(xlsx_workbook, "MAX_PART_BYTES", 10_000)
    cell = '<c r="A1" t="s"><v>0</v></c>'
    sheet = f"<worksheet {NAMESPACE}><sheetData><row>{cell}{cells}</row></sheetData></worksheet>"
    file = packed(f"<sst {NAMESPACE}><si><t/>{strings}</si></sst>", sheet)

    [problem] = problems(lambda: read(file))

    assert "a row or text of more than 10,000 bytes" in problem


def test_sheet_with_more_rows_than_excel_allows_is_refused(monkeypatch):
    monkeypatch.setattr(xlsx_workbook, "MAX_ROWS", 2)
    file = shared_workbook(map(text, ["q", "a", "m", "x"]), [(0, 1, 2), (3, 3, 3), (3, 3, 3)])

    assert "more than 2 rows" in problems(lambda: read(file))[0]


def test_workbook_larger_than_the_limit_is_refused():
    file = shared_workbook(map(text, ["q", "a", "m"]), [(0, 1, 2)])

    [problem] = problems(lambda: read_dataset([file], mapping=MAPPING, max_bytes=file.size))

    assert "bytes unpacked — expected at most" in problem
    assert "save the sheet as CSV or Parquet" in problem
