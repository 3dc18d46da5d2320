"""The sentence above a study's table: which row leads, by how much, and which are not significantly worse."""

from __future__ import annotations

from rankings.numerics import Figure, MeanFigure
from rankings.numerics.figure import defined
from rankings.report.number_text import coefficient, percent
from rankings.report.report_choice import ALL
from rankings.studies.pivot_choice import PivotChoice
from rankings.studies.pivot_figures import pivot_figure
from rankings.studies.pivot_table import chosen_figure
from rankings.tables.table import Column, Row, Table

CAPITALS = ("P(", "Spearman", "Kendall", "Pearson")


def headline_of(table: Table, choice: PivotChoice) -> str:
    """Write one sentence about the first column with a value; "" without one.

    table: without rows of people.
    """
    place = next((place for place, _ in enumerate(table.columns) if _defined_rows(table, place)), None)
    if place is None or table.columns[place].kind == "count":
        return ""
    column, rows = table.columns[place], _defined_rows(table, place)
    ordered = sorted(rows, key=lambda row: -_value(row, place))
    figure = pivot_figure(choice.figure)
    where = _within_a_sentence(chosen_figure(figure, choice))
    if not figure.higher_is_better or len(rows) == 1:
        return _range(f"{chosen_figure(figure, choice)}{_on(column, table)}", ordered, place, column)
    best = ordered[0]
    ties = sum(place in row.ties for row in rows)
    worse = (
        f" {ties} of {len(rows) - 1} others {'is' if ties == 1 else 'are'} not significantly worse (Holm)."
        if ties
        else ""
    )
    return f"{row_title(best)} leads{_on(column, table)}: {where} {_text(best.figures[place], column)}.{worse}"


def row_title(row: Row) -> str:
    """Return the name of a row with its section."""
    return " · ".join(filter(None, [row.section, *map(str, row.names)]))


def _on(column: Column, table: Table) -> str:
    """Name the column of a table with several."""
    if len(table.columns) == 1:
        return ""
    return " on all contexts" if column.full_title == ALL else f" on {column.full_title}"


def _within_a_sentence(title: str) -> str:
    """Begin a title in lower case, but for names and symbols."""
    return title if title.startswith(CAPITALS) else title[0].lower() + title[1:]


def _range(where: str, ordered: list[Row], place: int, column: Column) -> str:
    highest, lowest = ordered[0], ordered[-1]
    text = f"{where}: {_text(highest.figures[place], column)} ({row_title(highest)})"
    if lowest is highest:
        return f"{text}."
    return f"{text}, down to {_text(lowest.figures[place], column)} ({row_title(lowest)})."


def _text(figure: Figure | None, column: Column) -> str:
    """Write a value with half the width of its interval, or with its standard deviation."""
    if figure is None:
        return ""
    write = percent if column.kind == "share" else coefficient
    sd = figure.sd if isinstance(figure, MeanFigure) else None
    value = write(defined(figure.value))
    if sd is not None:
        return f"{value} (sd {_points(sd, column)})"
    if figure.low is None or figure.high is None:
        return value
    return f"{value} ±{_points((figure.high - figure.low) / 2, column)}"


def _points(width: float, column: Column) -> str:
    return f"{100 * width:.1f}" if column.kind == "share" else coefficient(width)


def _defined_rows(table: Table, place: int) -> list[Row]:
    return [row for row in table.rows if (figure := row.figures[place]) is not None and figure.value is not None]


def _value(row: Row, place: int) -> float:
    figure = row.figures[place]
    return defined(figure.value) if figure else 0.0
