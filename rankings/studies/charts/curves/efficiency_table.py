"""The efficiency of the runs of a study: comparisons needed for a share of the correlation [Liusie2024b]."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from rankings.curves.curve_records import Point
from rankings.numerics import Figure
from rankings.numerics.curves.efficiency import comparisons_needed, value_at
from rankings.numerics.figure import defined
from rankings.report.number_text import coefficient, percent
from rankings.studies.charts.curves.curves import CurveOfRun
from rankings.studies.charts.run_labels import question_of
from rankings.studies.charts.run_table import table_of_runs
from rankings.studies.pivot import SEPARATOR
from rankings.tables.table import Column, Kind, Row, Table

NEEDED_SHARES = {"needed_95": 0.95, "needed_98": 0.98, "needed_99": 0.99}
"""column -> share of the value of all comparisons."""
USUAL_BUDGET = 0.2
"""The budget of a page whose address has none, as a share of all comparisons: 48 of 240, as in the paper."""
DEFINITION = "curves/#efficiency"


def efficiency_table(curves: Sequence[CurveOfRun], *, measure: str, budget: int | None) -> Table:
    """Return a row for each run: its value with all comparisons and at the budget, and what it needs for a share."""
    runs = [curve.run for curve in curves]
    people = {question_of(curve.run): curve.people for curve in reversed(curves) if curve.people}
    return table_of_runs(
        _columns(measure, budget),
        runs,
        {curve.run.pk: curve.label for curve in curves},
        {curve.run.pk: _figures(curve.points, budget) for curve in curves},
        people={question: _figures(points, budget) for question, points in people.items()},
        page="run-curve",
    )


def _columns(measure: str, budget: int | None) -> tuple[Column, ...]:
    kind: Kind = "share" if measure == "accuracy" else "coefficient"
    title = "Accuracy of the ranking" if measure == "accuracy" else "Spearman"
    value = partial(Column, kind=kind, group=title, marks_best=True, parts=(), definition="curves/#mean")
    needed = partial(Column, kind="count", group="Comparisons per context", parts=(), definition=DEFINITION)
    return (
        value(name="value", title="all"),
        *([] if budget is None else [value(name="at_budget", title=f"at {budget:,}")]),
        needed(name="comparisons", title="all"),
        *(needed(name=name, title=f"for {100 * share:.0f}\u202f%") for name, share in NEEDED_SHARES.items()),
        Column(name="share_98", title="needed", group="For 98\u202f%", kind="share", parts=(), definition=DEFINITION),
    )


def _figures(points: Sequence[Point], budget: int | None) -> tuple[Figure | None, ...]:
    drawn = [point for point in points if point.mean is not None]
    if not drawn:
        missing = Figure.missing(next((point.undefined for point in points if point.undefined), "") or "no value")
        return (missing,) * (len(NEEDED_SHARES) + 3 + (budget is not None))
    budgets = np.array([point.comparisons for point in drawn], dtype=np.float64)
    means = np.array([point.mean for point in drawn], dtype=np.float64)
    needed = {name: comparisons_needed(budgets, means, share) for name, share in NEEDED_SHARES.items()}
    at_budget = [] if budget is None else [value_at(budgets, means, budget)]
    every = float(budgets[-1])
    share = needed["needed_98"]
    of_all = Figure.missing(share.undefined or "") if share.value is None else Figure(share.value / every)
    return (Figure(float(means[-1])), *at_budget, Figure(every), *needed.values(), of_all)


def efficiency_sentence(table: Table, *, measure: str) -> str:
    """Write how few comparisons reach 98 % of the best run's value; "" without such a run."""
    places = {column.name: place for place, column in enumerate(table.columns)}

    def number(row: Row, name: str) -> float | None:
        figure = row.figures[places[name]]
        return figure.value if figure else None

    rows = [row for row in table.rows if not row.is_people and number(row, "share_98") is not None]
    if not rows:
        return ""
    best = max(rows, key=lambda row: defined(number(row, "value")))
    shares = [defined(number(row, "share_98")) for row in rows]
    noun, write = ("ranking accuracy", percent) if measure == "accuracy" else ("correlation", coefficient)
    name = SEPARATOR.join(map(str, best.names))
    sentence = (
        f"{percent(defined(number(best, 'share_98')))} of the comparisons "
        f"({defined(number(best, 'needed_98')):,.0f} of {defined(number(best, 'comparisons')):,.0f} per context) "
        f"reach 98\u202f% of the {noun} of {name} ({write(defined(number(best, 'value')))})"
    )
    if len(rows) == 1:
        return f"{sentence}."
    least, most = percent(min(shares)), percent(max(shares))
    if least == most:
        return f"{sentence}; {'both' if len(rows) == 2 else f'all {len(rows)}'} runs need the same share."
    return f"{sentence}; {least} to {most} over all {len(rows)} runs."


def usual_budget(curves: Sequence[CurveOfRun]) -> int | None:
    """Return a fifth of the most comparisons, at least the fewest drawn by every run; None without a curve."""
    drawn = [curve.drawn for curve in curves if curve.drawn]
    if not drawn:
        return None
    most = max(points[-1].comparisons for points in drawn)
    fewest = max(points[0].comparisons for points in drawn)
    return max(round(USUAL_BUDGET * most), round(fewest))


def ends_of_budgets(curves: Sequence[CurveOfRun]) -> tuple[int, int]:
    """Return the fewest and the most comparisons per context of any curve."""
    points = [point.comparisons for curve in curves for point in curve.drawn]
    return round(min(points, default=0)), round(max(points, default=0))
