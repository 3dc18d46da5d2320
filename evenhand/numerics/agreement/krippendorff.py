"""Krippendorff's alpha, for any number of raters, missing ratings and four levels of measurement [Krippendorff2011]."""

from typing import Literal

import numpy as np

from evenhand.numerics.agreement.kappa import statistic_of_units
from evenhand.numerics.agreement.rating_tables import TIE, RatingTable
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.figure import Figure

MeasurementLevel = Literal["nominal", "ordinal", "interval", "ratio"]


def krippendorff_alpha(table: RatingTable, level: MeasurementLevel = "nominal") -> Figure:
    """Compute Krippendorff's alpha over units with at least two ratings; n is the number of their ratings."""
    totals = table.unit_counts
    rated = totals.sum(axis=1) >= 2
    totals, n_categories = totals[rated], len(table.values)
    coincidences = totals[:, :, None] * totals[:, None, :] - np.eye(n_categories) * totals[:, :, None]
    coincidences = coincidences / (totals.sum(axis=1) - 1)[:, None, None]
    return statistic_of_units(
        lambda total: _alpha(total.reshape(-1, n_categories, n_categories), table.values, level),
        table,
        rated,
        coincidences.reshape(len(totals), n_categories**2),
        n=round(totals.sum()),
    )


def order_free_alpha(table: RatingTable) -> Figure:
    """Compute nominal alpha on pairs with each pair counted in both orders; n as in `krippendorff_alpha`.

    If a dataset lists better candidates first, "the first is better" is common. Kappa and alpha then expect much
    agreement by chance, and another listing gives other values. Counted in both orders, both sides are equally common,
    and the listing has no effect.
    """
    totals = table.unit_counts
    raters = totals.sum(axis=1)
    rated = raters >= 2
    totals, raters = totals[rated], raters[rated]
    disagreement = (raters**2 - (totals**2).sum(axis=1)) / (raters - 1)
    parts = np.stack([disagreement, raters, totals[:, TIE]], axis=1)
    return statistic_of_units(_order_free_alpha, table, rated, parts, n=round(raters.sum()))


def _alpha(coincidences: FloatArray, values: FloatArray, level: MeasurementLevel) -> FloatArray:
    """Compute alpha from coincidence matrices, (n, n_categories, n_categories); NaN if only one category occurs."""
    marginals = coincidences.sum(axis=2)  # (n, n_categories)
    distances = _squared_distances(marginals, values, level)
    observed = (coincidences * distances).sum(axis=(1, 2))
    expected = (marginals[:, :, None] * marginals[:, None, :] * distances).sum(axis=(1, 2))
    return _one_minus_ratio((marginals.sum(axis=1) - 1) * observed, expected)


def _squared_distances(marginals: FloatArray, values: FloatArray, level: MeasurementLevel) -> FloatArray:
    """Return the squared distance of each two categories, (n or 1, n_categories, n_categories)."""
    difference = values[:, None] - values
    match level:
        case "nominal":
            return (difference != 0).astype(np.float64)[None]
        case "interval":
            return difference[None] ** 2
        case "ratio":
            total = values[:, None] + values
            return np.where(total != 0, difference / np.where(total != 0, total, 1.0), 0.0)[None] ** 2
        case "ordinal":
            up_to = np.cumsum(marginals, axis=1) - marginals / 2  # ranks at the middle of each category
            return (up_to[:, :, None] - up_to[:, None, :]) ** 2


def _order_free_alpha(total: FloatArray) -> FloatArray:
    """Compute alpha from sums of disagreement, ratings and ties, (n, 3). NaN where all ratings are ties."""
    disagreement, ratings, ties = total.T
    expected = ratings**2 - (ratings - ties) ** 2 / 2 - ties**2
    return _one_minus_ratio((ratings - 1) * disagreement, expected)


def _one_minus_ratio(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """Return 1 - observed / expected; NaN if expected is 0."""
    possible = expected > 0
    return np.where(possible, 1 - observed / np.where(possible, expected, 1.0), np.nan)
