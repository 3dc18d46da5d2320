"""`with_differences`: the cells of a table as differences to a row that the reader chose."""

from __future__ import annotations

from dataclasses import replace

from rankings.numerics import Figure
from rankings.studies.pivot import SEPARATOR
from rankings.tables.table import Row, Table


def with_differences(table: Table, baseline: str) -> Table:
    """Return the table with the other rows as differences to the baseline, which keeps its figures and stays on top.

    baseline: the names of a row, joined; a table without this row stays as it is.
    """
    chosen = next((row for row in table.rows if SEPARATOR.join(map(str, row.names)) == baseline), None)
    if chosen is None:
        return table
    others = (_difference(row, chosen) for row in table.rows if row is not chosen)
    columns = tuple(replace(column, marks_best=False, reference=None) for column in table.columns)
    note = f"Differences to {baseline}, in points where the figure is a share."
    return replace(table, columns=columns, rows=(replace(chosen, is_people=True), *others), notes=(note, *table.notes))


def _difference(row: Row, baseline: Row) -> Row:
    figures = tuple(_minus(one, other) for one, other in zip(row.figures, baseline.figures, strict=True))
    return replace(row, figures=figures)


def _minus(one: Figure | None, other: Figure | None) -> Figure | None:
    if one is None:
        return None
    if one.value is None:
        return Figure.missing(one.undefined or "", n=one.n)
    if other is None or other.value is None:
        return Figure.missing("the baseline has no value here")
    return Figure(one.value - other.value, n=one.n)
