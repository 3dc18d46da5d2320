"""Tables as CSV and XLSX."""

import csv
import io
from dataclasses import replace

from openpyxl import load_workbook

from evenhand.numerics import Figure
from rankings.tables.formats import csv_table, xlsx_table
from rankings.tables.table import TableStyle
from tests.rankings.tables.example_table import TABLE

HEADINGS = [
    *("run", "judge", "answers", "accuracy.value", "accuracy.low", "accuracy.high", "accuracy.n"),
    *(f"{name}.{part}" for name in ("spearman", "spearman_debiased") for part in ("value", "low", "high", "n")),
    "undefined",
]


def test_csv_table_has_full_precision_and_the_reasons_of_undefined_figures():
    lines = list(csv.reader(io.StringIO(csv_table(TABLE))))

    assert lines[0] == HEADINGS
    assert lines[1][:7] == ["1", "good & new", "1200", "0.8142", "0.801", "0.8283", "419"]
    assert lines[2][1] == "'=poor"
    assert lines[2][-5:] == ["", "", "", "", "spearman_debiased: every p is 1/2"]


def test_csv_table_rounds_no_number_that_counts_in_fractions():
    row = replace(TABLE.rows[1], figures=(Figure(213.54), *TABLE.rows[1].figures[1:]))

    assert list(csv.reader(io.StringIO(csv_table(replace(TABLE, rows=(row,))))))[1][2] == "213.54"


def test_xlsx_table_keeps_numbers_as_numbers():
    book = load_workbook(io.BytesIO(xlsx_table(TABLE, TableStyle(caption="Two judges."))))
    rows = list(book["Table"].iter_rows(values_only=True))

    assert list(rows[0]) == HEADINGS
    assert rows[2][:7] == (1, "good & new", 1200, 0.8142, 0.801, 0.8283, 419)
    assert [cell.value for cell in book["Notes"]["A"]] == ["Two judges.", "A note.", "Check run 2."]


def test_xlsx_table_shows_percentages_and_marks_the_best():
    sheet = load_workbook(io.BytesIO(xlsx_table(TABLE, TableStyle(digits=2))))["Table"]

    assert [sheet[cell].number_format for cell in ("D3", "E3", "G3", "H3")] == ["0.00%", "0.00%", "General", "General"]
    assert (sheet["D3"].font.bold, sheet["D4"].font.bold) == (True, False)


def test_xlsx_table_keeps_a_judge_from_being_a_formula():
    sheet = load_workbook(io.BytesIO(xlsx_table(TABLE, TableStyle())))["Table"]

    assert (sheet["B4"].value, sheet["B4"].data_type) == ("=poor", "s")
