"""Numbers of observations, as tables write them."""

from evenhand.numerics import Figure
from evenhand.numerics.figure import FigureOver
from rankings.tables.figure_table import figure_table
from rankings.tables.table import Column, Row, Table

ALPHA = Column(name="alpha", title="Alpha", kind="coefficient")
KAPPA = Column(name="kappa", title="Kappa", kind="coefficient")


def drawn(*rows, columns=(ALPHA,)):
    return figure_table(
        Table(("Judge",), columns, tuple(Row((f"judge {at}",), row) for at, row in enumerate(rows))), label="Judges"
    )


def over_people(n):
    return FigureOver.people(Figure(0.5, n=n))


def test_n_of_one_person_is_called_one_person():
    table = drawn((over_people(1),), (over_people(1),))

    assert table.shared == "1 person"
    assert [row.cells[0].details for row in table.sections[0].rows] == ["1 person"] * 2


def test_heading_has_the_range_of_people():
    assert [heading.n for heading in drawn((over_people(1),), (over_people(3),)).headings] == ["1–3 people"]


def test_heading_names_each_thing_that_n_counts():
    table = drawn((over_people(2), Figure(0.5, n=400)), (Figure(0.5, n=1200), None), columns=(ALPHA, KAPPA))

    assert [heading.n for heading in table.headings] == ["n = 1,200; 2 people", "n = 400"]


def test_other_figures_share_n():
    assert drawn((Figure(0.5, n=1200),), (Figure(0.4, n=1200),)).shared == "n = 1,200"
