"""`sorted_table`: the rows of a table by one of its columns: figures best first, names in alphabetical order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evenhand.numerics import Figure
from rankings.tables.table import Row, Table

OPPOSITE = "-"
NUMBER_IN_NAME = re.compile(r"(\d+)")
NaturalKey = list[tuple[bool, int, str]]


@dataclass(frozen=True, slots=True)
class Sort:
    """A column and a direction. name: of a column of figures or of names. is_opposite: worst first, or from z to a."""

    name: str = ""
    is_opposite: bool = False

    @classmethod
    def parse(cls, text: str) -> "Sort":
        """Read the value of `sort` in an address, for example "accuracy" or "-judge"."""
        return cls(text.removeprefix(OPPOSITE), text.startswith(OPPOSITE))

    def after_click(self, name: str) -> str:
        """Return the value of `sort` after a click on a heading. A second click turns the direction round."""
        return f"{OPPOSITE}{name}" if name == self.name and not self.is_opposite else name


def sort_name(title: str) -> str:
    """Return the name by which an address sorts a column of names."""
    return title.lower().replace(" ", "_")


def sorted_table(table: Table, sort: Sort) -> Table:
    """Return the table with its rows sorted within their sections. People stay first, missing figures come last.

    Rows for comparison keep their order and stand below all others.

    By a column that marks the best, rows that are not compared in it come last.

    A column that the table lacks leaves the order as it is.
    """
    figures = [column.name for column in table.columns]
    names = [sort_name(title) for title in table.name_titles]
    if sort.name in figures:
        return _with_order(table, _by_figure(table, figures.index(sort.name), sort))
    if sort.name in names:
        place = names.index(sort.name)
        rows = sorted(table.rows, key=lambda row: natural_key(str(row.names[place])), reverse=sort.is_opposite)
        return _with_order(table, rows)
    return table


def _with_order(table: Table, rows: Sequence[Row]) -> Table:
    sections = list(dict.fromkeys(row.section for row in table.rows))
    last = [row for row in table.rows if row.of == "comparison"]
    judged = [*(row for row in rows if row.of != "comparison"), *last]
    ordered = sorted(judged, key=lambda row: (sections.index(row.section), row.of == "comparison", row.of != "people"))
    return replace(table, rows=tuple(ordered))


def _by_figure(table: Table, place: int, sort: Sort) -> list[Row]:
    direction = replace(sort, is_opposite=sort.is_opposite != table.columns[place].lowest_first)
    marks_best = table.columns[place].marks_best
    return sorted(
        table.rows,
        key=lambda row: figure_key(row.figures[place], direction, is_apart=marks_best and not row.rivals_at(place)),
    )


def figure_key(figure: Figure | None, sort: Sort, *, is_apart: bool = False) -> tuple[bool, bool, float]:
    """Return a key that sorts figures highest first, or lowest first, then those that are apart, then missing ones."""
    if figure is None or figure.value is None:
        return (True, is_apart, 0.0)
    return (False, is_apart, figure.value if sort.is_opposite else -figure.value)


def natural_key(text: str) -> NaturalKey:
    """Return a key that sorts "run 9" before "run 10", whatever the case of the letters."""
    parts = NUMBER_IN_NAME.split(text.casefold())
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts if part]
