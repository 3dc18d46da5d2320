"""Krippendorff's alpha on pairs, independent of the order in which a dataset lists its candidates."""

import numpy as np

from rankings.numerics.agreement.kappa import NO_COMMON_UNIT, ONE_CATEGORY
from rankings.numerics.agreement.rating_tables import TIE, RatingTable
from rankings.numerics.arrays import FloatArray
from rankings.numerics.figure import Figure
from rankings.numerics.intervals import statistic_of_sums


def order_free_alpha(table: RatingTable) -> Figure:
    """Compute nominal alpha with each pair counted in both orders; n as in `krippendorff_alpha`.

    If a dataset lists better candidates first, "the first is better" is common. Kappa and alpha then expect much
    agreement by chance, and another listing gives other values. Counted in both orders, both sides are equally common,
    and the listing has no effect.
    """
    totals = table.unit_counts
    raters = totals.sum(axis=1)
    rated = raters >= 2
    totals, raters = totals[rated], raters[rated]
    if not len(totals):
        return Figure.missing(NO_COMMON_UNIT, n=0)
    disagreement = (raters**2 - (totals**2).sum(axis=1)) / (raters - 1)
    return statistic_of_sums(
        _alpha,
        table.by_context(rated, np.stack([disagreement, raters, totals[:, TIE]], axis=1)),
        n=round(raters.sum()),
        if_undefined=ONE_CATEGORY,
    )


def _alpha(total: FloatArray) -> FloatArray:
    """total: sums of disagreement, ratings and ties, (n, 3). NaN where all ratings are ties."""
    disagreement, ratings, ties = total.T
    expected = ratings**2 - (ratings - ties) ** 2 / 2 - ties**2
    possible = expected > 0
    return np.where(possible, 1 - (ratings - 1) * disagreement / np.where(possible, expected, 1.0), np.nan)
