"""Points of ranking curves, and the comparisons that a curve needs for a share of its last value [Liusie2024b]."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.figure import Figure
from evenhand.numerics.shared_draws import percentiles, row_percentiles


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Agreement with people at one budget, over random draws of the comparisons.

    comparisons: calls per context; contexts with fewer answers use all of them. For PairS their mean, which need not be
    whole, and beam: number of merges that PairS follows in parallel.
    mean, low, high: mean over draws, and the ends of their middle 95 %; None if undefined.
    draws: number of draws with a value. undefined: reason if there is none.
    """

    comparisons: float
    mean: float | None
    low: float | None
    high: float | None
    draws: int
    undefined: str | None = None
    beam: int | None = None

    @classmethod
    def missing(cls, reason: str, *, comparisons: float = 0, beam: int | None = None) -> "CurvePoint":
        """Return an undefined point with its reason."""
        return cls(comparisons, None, None, None, 0, reason, beam)


def points_of(budgets: Sequence[int], totals: FloatArray, weights: FloatArray, if_skipped: str) -> list[CurvePoint]:
    """Return `point_of` for each budget. totals, weights: float, (n_draws, n_budgets)."""
    of_all = np.flatnonzero((weights > 0).all(axis=0))
    ends = row_percentiles((totals[:, of_all] / weights[:, of_all]).T) if len(of_all) else []
    known = dict(zip(of_all.tolist(), ends, strict=True))
    return [
        point_of(budget, totals[:, place], weights[:, place], if_skipped, ends=known.get(place))
        for place, budget in enumerate(budgets)
    ]


def point_of(
    comparisons: float,
    totals: FloatArray,
    weights: FloatArray,
    if_skipped: str,
    *,
    beam: int | None = None,
    ends: tuple[float, float] | None = None,
) -> CurvePoint:
    """Return the point of one budget.

    totals, weights: float, (n_draws,). Sums over contexts of weighted values, and of weights.
    ends: `percentiles` of the means, if already computed.
    """
    known = weights > 0
    if not known.any():
        return CurvePoint.missing(if_skipped, comparisons=comparisons, beam=beam)
    means = totals[known] / weights[known]
    low, high = ends or percentiles(means)
    mean = means[0] + (means - means[0]).mean()  # exact where all draws agree
    return CurvePoint(comparisons, float(mean), low, high, len(means), beam=beam)


NOT_POSITIVE = "the value of all comparisons is not above 0"


def comparisons_needed(budgets: FloatArray, means: FloatArray, share: float) -> Figure:
    """Return the comparisons per context at which a curve first reaches a share of its last value, rounded up.

    budgets, means: float, (n,), n > 0. The points of a curve, budgets rising; the last has all comparisons. Between two
    points the curve is a straight line. A curve that begins above the share gives the fewest comparisons drawn.
    """
    if means[-1] <= 0:
        return Figure.missing(NOT_POSITIVE)
    wanted = share * means[-1]
    after = int(np.argmax(means >= wanted))
    if after == 0:
        return Figure(float(budgets[0]))
    part = (wanted - means[after - 1]) / (means[after] - means[after - 1])
    needed = budgets[after - 1] + part * (budgets[after] - budgets[after - 1])
    return Figure(float(np.ceil(round(float(needed), 9))))  # rounded first, so that a whole number stays itself


def value_at(budgets: FloatArray, means: FloatArray, budget: float) -> Figure:
    """Return the value of a curve at a number of comparisons per context, on the line between two points.

    budgets, means: as in `comparisons_needed`.
    """
    if budget < budgets[0]:
        return Figure.missing(f"the fewest comparisons that are drawn are {budgets[0]:g} per context")
    if budget > budgets[-1]:
        return Figure.missing(f"there are {budgets[-1]:g} comparisons per context")
    return Figure(float(np.interp(budget, budgets, means)))
