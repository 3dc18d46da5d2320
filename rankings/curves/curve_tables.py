"""The tables of ranking curves: every point, and what each curve is worth in votes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from evenhand.numerics import Figure
from rankings.curves.curve_records import CurveReport, CurveValue, Point, Worth
from rankings.report.number_text import ranking_title
from rankings.tables.table import Column, Kind, Row, Table

CURVE_NAMES = ("Ranking", "Of", "Selection", "Position bias")
_COUNT = partial(Column, kind="count", parts=())
COMPARISONS_COLUMN = _COUNT(
    name="comparisons", title="Comparisons", lowest_first=True, definition="curves/#comparisons"
)
WORTH_COLUMN = Column(
    name="votes", title="Worth in votes", kind="number", parts=(), definition="curves/#worth-in-votes"
)
DRAWS_COLUMN = _COUNT(name="draws", title="Draws", definition="curves/#draws")
DRAWS_NOTE = "Mean: over the draws; interval: the middle 95 % of the draws."
VOTES_NOTE = "Worth in votes: votes per context that give the same result, by the same ranking."


def points_table(report: CurveReport, *, measure: str) -> Table:
    """Return every point of the curves. measure: the title of the mean."""
    worth = [one.votes for one in report.worth or []]
    votes = [*worth, *[None] * (len(report.points) - len(worth))]
    mean = Column(name="mean", title=measure, kind=_kind(report.points), definition="curves/#mean")
    columns = (COMPARISONS_COLUMN, mean, DRAWS_COLUMN, *([WORTH_COLUMN] if worth else []))
    rows = tuple(
        Row(
            (*_names(point)[:1], point.source, *_names(point)[1:]),
            (
                Figure(point.comparisons),
                Figure(point.mean, point.low, point.high, undefined=point.undefined),
                Figure(point.draws),
                *([of_point] if worth else []),
            ),
        )
        for point, of_point in zip(report.points, votes, strict=True)
    )
    notes = (DRAWS_NOTE, *([VOTES_NOTE] if worth else []))
    return Table(CURVE_NAMES, columns, rows, notes=notes)


def worth_table(report: CurveReport, *, measure: str) -> Table:
    """Return what all comparisons of each of the judge's curves are worth in votes."""
    mean = Column(name="mean", title=measure, kind=_kind(report.points), parts=(), definition="curves/#mean")
    rows = tuple(
        Row(_names(end), (end.votes, Figure(end.comparisons), Figure(end.mean, undefined=end.undefined)))
        for end in ends_of(report)
    )
    names = tuple(name for name in CURVE_NAMES if name != "Of")
    return Table(names, (WORTH_COLUMN, COMPARISONS_COLUMN, mean), rows, notes=(VOTES_NOTE,))


def ends_of(report: CurveReport) -> list[Worth]:
    """Return the worth of the last point of each of the judge's curves."""
    return list({one.curve: one for one in report.worth or []}.values())


def _names(point: CurveValue) -> tuple[str, str, str]:
    """Return ranking, selection and bias of a point."""
    beam = f", beam {point.beam}" if point.beam else ""
    bias = "orders averaged" if point.average_orders else "debiased" if point.debiased else "raw"
    return f"{ranking_title(point.ranking)}{beam}", point.selection, bias


def _kind(points: Sequence[Point]) -> Kind:
    return "share" if any(point.measure == "accuracy" for point in points) else "coefficient"
