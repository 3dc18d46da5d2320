"""Cards of figures as a table with one row."""

from evenhand.numerics import Figure
from rankings.diagnostics.diagnostics_page import card_table
from rankings.report.pages.sentences_and_cards import Card
from rankings.tables.figure_table import figure_table
from rankings.tables.table import PLUS_MINUS_NOTE

CARDS = [
    Card("Brier score", Figure(0.125, 0.1, 0.15, 40), "0 is perfect.", False, "diagnostics/#brier_score"),
    Card("Cycles", Figure(0.25, n=12), "Share of triads.", True, "diagnostics/#cyclic_triads"),
    Card("Strong", Figure.missing("no triad"), "P is below the larger.", True, "diagnostics/#strong_violations"),
]


def table():
    return figure_table(card_table(CARDS, name="GPT"), label="Consistency")


def test_each_card_is_a_column_with_its_definition():
    assert [(one.column.full_title, one.column.definition) for one in table().headings] == [
        ("Brier score", "diagnostics/#brier_score"),
        ("Cycles", "diagnostics/#cyclic_triads"),
    ]
    [row] = table().sections[0].rows
    assert [(cell.number, cell.interval) for cell in row.cells] == [("0.125", "±0.025"), ("25.0", "")]
    assert row.name == "GPT"


def test_meanings_and_reasons_stand_below():
    notes = table().notes

    assert "Brier score: 0 is perfect." in notes
    assert [note for note in notes if "±" in note] == [PLUS_MINUS_NOTE]
    assert "Not available: Strong (no triad)." in notes
    assert not any("P is below the larger" in note for note in notes)


def test_single_row_draws_no_interval_because_nothing_is_compared():
    [row] = table().sections[0].rows

    assert all(cell.plot is None for cell in row.cells)
