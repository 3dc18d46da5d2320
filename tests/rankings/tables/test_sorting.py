"""The order of the rows of a table, by figures and by names."""

from dataclasses import replace

import pytest

from evenhand.numerics import Figure
from rankings.tables.sorting import Sort, sorted_table
from rankings.tables.table import Column, Row, Table

ACCURACY = Column(name="accuracy", title="Accuracy")


def row(name, value, **kind):
    return Row((name,), (Figure(value),), **kind)


def names(table):
    return [row.names[0] for row in table.rows]


TABLE = Table(("Judge",), (ACCURACY,), (row("run 10", 0.5), row("Run 9", None), row("alpha", 0.7)))


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("accuracy", ["alpha", "run 10", "Run 9"]),
        ("-accuracy", ["run 10", "alpha", "Run 9"]),
        ("judge", ["alpha", "Run 9", "run 10"]),
        ("-judge", ["run 10", "Run 9", "alpha"]),
        ("spearman", ["run 10", "Run 9", "alpha"]),
        ("", ["run 10", "Run 9", "alpha"]),
    ],
)
def test_sorted_table_sorts_figures_highest_first_and_names_in_natural_order(sort, order):
    assert names(sorted_table(TABLE, Sort.parse(sort))) == order


def test_sorted_table_keeps_sections_together_and_people_first_in_each():
    rows = (row("a", 0.1, section="x"), row("b", 0.9, section="y"), row("c", 0.8, section="x"))
    people = row("People", 0.2, section="x", of="people")

    assert names(sorted_table(replace(TABLE, rows=(*rows, people)), Sort("accuracy"))) == ["People", "c", "a", "b"]


def test_second_click_on_a_heading_turns_the_order_round():
    assert Sort.parse("accuracy").after_click("accuracy") == "-accuracy"
    assert Sort.parse("-accuracy").after_click("accuracy") == "accuracy"
    assert Sort.parse("-accuracy").after_click("judge") == "judge"


def test_sorted_table_puts_ranks_and_p_values_lowest_first():
    rank = Column(name="rank", title="Rank", kind="number", lowest_first=True)
    table = Table(("Judge",), (rank,), (row("second", 2), row("none", None), row("first", 1)))

    orders = [names(sorted_table(table, Sort.parse(sort))) for sort in ("rank", "-rank")]

    assert orders == [["first", "second", "none"], ["second", "first", "none"]]


def test_rows_for_comparison_stand_last_in_their_own_order():
    simple = [row(name, value, of="comparison") for name, value in (("first", 0.1), ("longer", 0.9))]

    for direction in ("accuracy", "-accuracy"):
        ordered = sorted_table(replace(TABLE, rows=(*simple, *TABLE.rows)), Sort.parse(direction))
        assert names(ordered)[-2:] == ["first", "longer"]
