"""The efficiency of the runs of a study: comparisons needed for a share of the correlation [Liusie2024b]."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from evenhand.numerics.figure import defined
from rankings.curves.needed_comparisons import NEEDED_SHARES, figures_of_curve
from rankings.report.number_text import coefficient, percent
from rankings.studies.charts.curves.curves import CurveOfRun
from rankings.studies.charts.run_labels import question_of
from rankings.studies.charts.run_table import table_of_runs
from rankings.studies.pivots.pivot import SEPARATOR
from rankings.tables.table import Column, Kind, Table

USUAL_BUDGET = 0.2
"""The budget of a page whose address has none, as a share of all comparisons: 48 of 240, as in the paper."""
DEFINITION = "curves/#efficiency"


def efficiency_table(curves: Sequence[CurveOfRun], *, measure: str, budget: int | None) -> Table:
    """Return a row for each run: its value with all comparisons and at the budget, and what it needs for a share."""
    runs = [curve.run for curve in curves]
    people = {question_of(curve.run): curve.people for curve in reversed(curves) if curve.people}
    columns = _columns(measure, budget)
    return table_of_runs(
        columns,
        runs,
        {curve.run.pk: curve.label for curve in curves},
        {curve.run.pk: figures_of_curve(curve.points, columns, budget) for curve in curves},
        people={question: figures_of_curve(points, columns, budget) for question, points in people.items()},
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


def efficiency_sentence(table: Table, *, measure: str) -> str:
    """Write how few comparisons reach 98 % of the best run's value; "" without such a run."""
    rows = [row for row in table.rows if not row.is_people and table.value(row, "share_98") is not None]
    if not rows:
        return ""
    best = max(rows, key=lambda row: defined(table.value(row, "value")))
    shares = [defined(table.value(row, "share_98")) for row in rows]
    noun, write = ("ranking accuracy", percent) if measure == "accuracy" else ("correlation", coefficient)
    name = SEPARATOR.join(map(str, best.names))
    sentence = (
        f"{percent(defined(table.value(best, 'share_98')))} of the comparisons "
        f"({table.value(best, 'needed_98'):,.0f} of {table.value(best, 'comparisons'):,.0f} per context) "
        f"reach 98\u202f% of the {noun} of {name} ({write(defined(table.value(best, 'value')))})"
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
