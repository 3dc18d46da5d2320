"""Points of ranking curves: mean and middle 95 % over draws."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import FloatArray
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
