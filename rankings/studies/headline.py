"""The sentence above a study's table: which row leads, by how much, and which are not significantly worse."""

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.numerics import Figure, MeanFigure
from evenhand.numerics.figure import defined
from evenhand.units import counted
from rankings.report.printed_numbers import coefficient, percent
from rankings.report.report_choice import ALL
from rankings.studies.pivots.best_cells import COMPARED_WITHIN
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import pivot_figure
from rankings.studies.pivots.pivot_table import chosen_figure
from rankings.tables.table import Column, Row, Table

CAPITALS = ("P(", "Spearman", "Kendall", "Pearson")
MOST_SECTIONS = 4
"""The sentence names the best row of up to this many sections."""
MOST_LEADERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFacts:
    """The runs of a table. baseline: the row to which its figures are differences; "" for none."""

    runs: int
    unfinished: int
    baseline: str = ""


def headline_of(table: Table, choice: PivotChoice, facts: TableFacts) -> str:
    """Write one sentence about the first column with rows to compare, else with a value; "" without one.

    Rows of people, of simple judges and of the baseline do not count.
    """
    place = _place_of(table)
    if place is None or table.columns[place].kind == "count":
        return ""
    sentence = _sentence(table, place, choice, facts)
    if not facts.unfinished:
        return sentence
    names = [row_title(row) for row in table.rows]
    rest = sentence if any(sentence.startswith(name) for name in names) else _within_a_sentence(sentence)
    return f"Partial ({facts.unfinished} of {counted(facts.runs, 'run')} unfinished): {rest}"


def row_title(row: Row) -> str:
    """Return the names of a row."""
    return " · ".join(filter(None, map(str, row.names)))


def _place_of(table: Table) -> int | None:
    """Return the first column with two rows to compare, else the first with a value; None without one."""
    places = range(len(table.columns))
    contested = (place for place in places if any(len(rows) > 1 for rows in _groups(table, place)))
    return next(contested, next((place for place in places if _defined_rows(table, place)), None))


def _sentence(table: Table, place: int, choice: PivotChoice, facts: TableFacts) -> str:
    column, groups = table.columns[place], _groups(table, place)
    figure, title = pivot_figure(choice.figure), chosen_figure(pivot_figure(choice.figure), choice)
    rows = _best_first(_defined_rows(table, place), place)
    contested = [group for group in groups if len(group) > 1]
    if facts.baseline:
        is_compared = figure.higher_is_better and len(groups) == 1 and len(groups[0]) == len(rows)
        return _difference(rows, place, table, title, facts.baseline, is_compared=is_compared)
    if figure.higher_is_better and len(contested) == 1 and len(groups) == 1:
        is_highest = _value(groups[0][0], place) >= _value(rows[0], place)
        return ("" if is_highest else "Of the rows that are compared, ") + _leader(contested[0], place, table, title)
    if facts.unfinished and figure.higher_is_better and len(rows) > 1:
        return "no leader yet."
    by = [name for name in COMPARED_WITHIN if name in choice.rows]
    if figure.higher_is_better and by and 1 < len(groups) <= MOST_SECTIONS and contested == groups:
        best = ", ".join(f"{row_title(group[0])} {_text(group[0].figures[place], column)}" for group in groups)
        return f"Highest {_within_a_sentence(title)} by {' and '.join(by)}{_on(column, table)}: {best}."
    return _range(f"{title}{_on(column, table)}", rows, place, column)


def _leader(ordered: Sequence[Row], place: int, table: Table, title: str) -> str:
    """Write the best of some rows, best first, how many are not significantly worse, and how many are not tested."""
    column = table.columns[place]
    leaders = [row for row in ordered if _value(row, place) == _value(ordered[0], place)]
    others = [row for row in ordered if row not in leaders]
    numbers = {
        "not significantly worse (Holm)": sum(place in row.ties for row in others),
        "not tested against it": sum(place in row.untested for row in others),
    }
    said = "".join(f" {_of_others(number, len(others))} {what}." for what, number in numbers.items() if number)
    leads = "leads" if len(leaders) == 1 else "lead"
    text = _text(leaders[0].figures[place], column)
    return f"{_listed(leaders)} {leads}{_on(column, table)}: {_within_a_sentence(title)} {text}.{said}"


def _of_others(number: int, others: int) -> str:
    return "The other is" if others == 1 else f"{number} of {others} others {'is' if number == 1 else 'are'}"


def _listed(rows: Sequence[Row]) -> str:
    """Write the names of up to three rows, of others their number."""
    if len(rows) > MOST_LEADERS:
        return f"{len(rows)} rows"
    *first, last = map(row_title, rows)
    return f"{', '.join(first)} and {last}" if first else last


def _difference(
    ordered: Sequence[Row], place: int, table: Table, title: str, baseline: str, *, is_compared: bool
) -> str:
    """Write the largest difference to the baseline, and the smallest where the rows are not compared with it."""
    column, where = table.columns[place], f"{title}{_on(table.columns[place], table)}"
    best = ordered[0]
    text = _points_text(best.figures[place], column)
    if not is_compared:
        lowest = ordered[-1]
        down = f" down to {_points_text(lowest.figures[place], column)} ({row_title(lowest)})" if best != lowest else ""
        return f"{where}, against {baseline}: {text} ({row_title(best)}){down}."
    if _value(best, place) > 0:
        return f"{row_title(best)} leads{_on(column, table)}: {_within_a_sentence(title)} {text} over {baseline}."
    return f"No row is above {baseline}{_on(column, table)}: the best, {row_title(best)}, has {text}."


def _on(column: Column, table: Table) -> str:
    """Name the column of a table with several."""
    if len(table.columns) == 1:
        return ""
    return " on all contexts" if column.full_title == ALL else f" on {column.full_title}"


def _within_a_sentence(title: str) -> str:
    """Begin a title in lower case, but for names and symbols."""
    return title if title.startswith(CAPITALS) else title[0].lower() + title[1:]


def _range(where: str, ordered: Sequence[Row], place: int, column: Column) -> str:
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


def _points_text(figure: Figure | None, column: Column) -> str:
    """Write a difference with its sign, and half the width of its interval."""
    if figure is None or figure.value is None:
        return ""
    sign = "+" if figure.value > 0 else ""
    number = coefficient(100 * figure.value, 1) if column.kind == "share" else coefficient(figure.value)
    unit = " points" if column.kind == "share" else ""
    if figure.low is None or figure.high is None:
        return f"{sign}{number}{unit}"
    return f"{sign}{number} ±{_points((figure.high - figure.low) / 2, column)}{unit}"


def _points(width: float, column: Column) -> str:
    return f"{100 * width:.1f}" if column.kind == "share" else coefficient(width)


def _groups(table: Table, place: int) -> list[list[Row]]:
    """Return the rows that are compared in a column, by their rivals, each group best first."""
    groups: dict[str, list[Row]] = {}
    for row in _best_first(_defined_rows(table, place), place):
        if rivals := row.rivals_at(place):
            groups.setdefault(rivals, []).append(row)
    return list(groups.values())


def _best_first(rows: Sequence[Row], place: int) -> list[Row]:
    return sorted(rows, key=lambda row: -_value(row, place))


def _defined_rows(table: Table, place: int) -> list[Row]:
    return [
        row
        for row in table.rows
        if row.of == "judge" and (figure := row.figures[place]) is not None and figure.value is not None
    ]


def _value(row: Row, place: int) -> float:
    figure = row.figures[place]
    return defined(figure.value) if figure else 0.0
