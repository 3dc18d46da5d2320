"""How few comparisons nearly reach the value of all of them: a table with a row per curve, and a sentence."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from evenhand.numerics import PAIRS_SORT, Figure
from evenhand.numerics.curves.curve_points import comparisons_needed, value_at
from evenhand.numerics.figure import defined
from rankings.curves.curve_chart import people_curves_of
from rankings.curves.curve_records import CurveReport, Point
from rankings.report.printed_numbers import coefficient, percent, ranking_title
from rankings.tables.table import Column, Kind, Row, Table

NEEDED_SHARES = {"needed_95": 0.95, "needed_98": 0.98, "needed_99": 0.99}
"""column -> share of the value of all comparisons."""
NEEDED_DEFINITION = "curves/#efficiency"
NEEDED_NOTE = "All: what the selection takes. For 95 and 98 %: where the mean of the draws reaches that share of all."


def needed_table(report: CurveReport, *, measure: str) -> Table:
    """Return a row for each curve: its value with all comparisons, and what it needs for 95 % and 98 % of it.

    PairS has no row, because it chooses its own comparisons. People have one: that of their drawn curve.
    """
    curves: dict[tuple[object, ...], list[Point]] = {}
    for point in report.points:
        if point.ranking != PAIRS_SORT:
            curves.setdefault((point.source, *point.curve), []).append(point)
    drawn = [*people_curves_of(report.points), *(one for one in curves.values() if one[0].source == "judge")]
    columns = _columns(measure)
    rows = tuple(_row(points, columns) for points in drawn)
    return Table(("Ranking", "Selection", "Position bias"), columns, rows, notes=(NEEDED_NOTE,))


def needed_sentence(table: Table, *, measure: str) -> str:
    """Write which curve needs the fewest comparisons for nearly its full value, and what the others need.

    Curves that need equally few are compared by their value. "" without a value.
    """

    def number(row: Row, name: str) -> float:
        return defined(table.value(row, name))

    rows = [row for row in table.rows if row.of == "judge" and table.value(row, "needed_98")]
    if not rows:
        return ""
    best = min(rows, key=lambda row: (number(row, "needed_98") / number(row, "comparisons"), -number(row, "value")))
    noun, write = ("ranking accuracy", percent) if measure == "accuracy" else ("Spearman correlation", coefficient)
    sentence = (
        f"{number(best, 'needed_98'):,.0f} of {number(best, 'comparisons'):,.0f} comparisons per context reach "
        f"98\u202f% of the full {noun} by {_name_of(best)} ({write(number(best, 'value'))}); "
        f"{number(best, 'needed_95'):,.0f} reach 95\u202f%."
    )
    others = [number(row, "needed_98") for row in rows if row is not best]
    return f"{sentence} {_others_text(others)}".strip()


def _others_text(needed: Sequence[float]) -> str:
    if not needed:
        return ""
    low, high = f"{min(needed):,.0f}", f"{max(needed):,.0f}"
    return f"The other curves need {low if low == high else f'{low} to {high}'} for 98\u202f%."


def _columns(measure: str) -> tuple[Column, ...]:
    kind: Kind = "share" if measure == "accuracy" else "coefficient"
    title = "Accuracy of the ranking" if measure == "accuracy" else "Spearman"
    count = partial(Column, group="Comparisons", kind="count")
    needed = (
        count(name=name, title=f"for {100 * share:.0f}\u202f%", definition=NEEDED_DEFINITION, lowest_first=True)
        for name, share in list(NEEDED_SHARES.items())[:2]
    )
    return (
        *needed,
        count(name="comparisons", title="all", definition="curves/#comparisons"),
        Column(name="value", title=title, kind=kind, definition="curves/#mean"),
    )


def _row(points: Sequence[Point], columns: Sequence[Column]) -> Row:
    one = points[0]
    is_people = one.source == "people"
    bias = "orders averaged" if one.average_orders else "debiased" if one.debiased else "raw"
    names = (
        (f"people, {ranking_title(one.ranking)}", "", "")
        if is_people
        else (ranking_title(one.ranking), one.selection, bias)
    )
    return Row(names, figures_of_curve(points, columns), of="people" if is_people else "judge")


def figures_of_curve(
    points: Sequence[Point], columns: Sequence[Column], budget: int | None = None
) -> tuple[Figure, ...]:
    """Return the figures of one curve: `value`, `comparisons`, those needed, `share_98`, and `at_budget`."""
    drawn = [point for point in points if point.mean is not None]
    if not drawn:
        reason = next((point.undefined for point in points if point.undefined), "no value")
        return (Figure.missing(reason),) * len(columns)
    budgets = np.array([point.comparisons for point in drawn], dtype=np.float64)
    means = np.array([point.mean for point in drawn], dtype=np.float64)
    figures = {name: comparisons_needed(budgets, means, share) for name, share in NEEDED_SHARES.items()}
    nearly, every = figures["needed_98"], float(budgets[-1])
    figures["share_98"] = nearly if nearly.value is None else Figure(nearly.value / every)
    figures |= {"value": Figure(float(means[-1])), "comparisons": Figure(every)}
    figures["at_budget"] = value_at(budgets, means, every if budget is None else budget)
    return tuple(figures[column.name] for column in columns)


def _name_of(row: Row) -> str:
    """Write the ranking and its variant, and the selection unless it is random."""
    ranking, selection, bias = map(str, row.names)
    return ", ".join([ranking, *([selection] if selection != "random" else []), bias])
