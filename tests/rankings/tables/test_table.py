"""The printed cells of a table: digits, intervals, marks, notes on n."""

from dataclasses import replace

import pytest

from evenhand.numerics import Figure
from rankings.tables.numbers_of_observations import notes_on_n
from rankings.tables.table import Cell, Column, Row, Table, TableStyle, printed_cells
from tests.rankings.tables.example_table import TABLE


def test_printed_cells_round_shares_to_percentages_and_coefficients_to_two_more_digits():
    _, good, poor = printed_cells(TABLE, TableStyle())

    assert good == [
        Cell("1,200"),
        Cell("81.4", "[80.1, 82.8]", "best"),
        Cell("0.500", "[0.400, 0.600]", "best"),
        Cell("-0.250", "[-0.500, 0.000]", ""),
    ]
    assert poor[1:] == [Cell("60.0", "[55.0, 65.0]"), Cell("0.250", "[0.100, 0.400]"), Cell("–")]


def test_printed_cells_leave_a_cell_without_a_figure_empty():
    assert printed_cells(TABLE, TableStyle())[0] == [Cell(""), Cell("90.0"), Cell(""), Cell("")]


@pytest.mark.parametrize(
    ("style", "interval"),
    [
        (TableStyle(interval="plus-minus"), "± 1.4"),
        (TableStyle(interval="subscript"), "[80.1, 82.8]"),
        (TableStyle(interval="none"), ""),
        (TableStyle(digits=2), "[80.10, 82.83]"),
        (TableStyle(digits=0), "[80, 83]"),
    ],
)
def test_interval_follows_the_style(style, interval):
    assert printed_cells(TABLE, style)[1][1].interval == interval


def column_of(*values, rivals="all", is_marked=True):
    """A table of one column."""
    column = Column(name="accuracy", title="Accuracy", marks_best=is_marked)
    return Table((), (column,), tuple(Row((), (Figure(value),), rivals) for value in values))


@pytest.mark.parametrize(
    ("table", "marks"),
    [
        (column_of(0.7, 0.9, 0.8, 0.6), ["", "best", "", ""]),
        (column_of(0.9001, 0.9002, 0.8), ["best", "best", ""]),
        (column_of(0.9, 0.9), ["", ""]),
        (column_of(0.9), [""]),
        (column_of(0.9, None, 0.8), ["best", "", ""]),
        (column_of(0.9, 0.8, is_marked=False), ["", ""]),
        (column_of(0.9, 0.8, rivals=""), ["", ""]),
    ],
)
def test_mark_goes_to_the_highest_values_that_print_alike(table, marks):
    assert [row[0].mark for row in printed_cells(table, TableStyle())] == marks


def test_marks_compare_rivals_only():
    table = column_of(0.9, 0.8, 0.7, 0.6)
    rows = tuple(replace(row, rivals="ab"[at // 2]) for at, row in enumerate(table.rows))

    assert [row[0].mark for row in printed_cells(replace(table, rows=rows), TableStyle())] == ["best", ""] * 2


def test_value_that_rounds_to_zero_has_no_sign():
    assert printed_cells(column_of(-0.0001), TableStyle())[0][0].number == "0.0"


def test_notes_on_n_join_columns_with_the_same_numbers():
    assert notes_on_n(TABLE) == ["Accuracy: n = 100 to 419.", "Spearman raw; Spearman debiased: n = 30."]


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("p", 0.0004, "<0.001"),
        ("p", 0.0213, "0.021"),
        ("p", 1.0, "1.000"),
        ("number", 2.5, "2.5"),
        ("number", 3.0, "3"),
    ],
)
def test_p_values_and_numbers_are_printed_as_readers_expect(kind, value, text):
    table = Table(("Name",), (Column(name="x", title="x", kind=kind),), (Row(("a",), (Figure(value),)),))

    assert printed_cells(table, TableStyle()) == [[Cell(text)]]
