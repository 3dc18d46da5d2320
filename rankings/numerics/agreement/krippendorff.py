"""Krippendorff's alpha, for any number of raters, missing ratings and four levels of measurement [Krippendorff2011]."""

from typing import Literal

import numpy as np

from rankings.numerics.agreement.kappa import NO_COMMON_UNIT, ONE_CATEGORY
from rankings.numerics.agreement.rating_tables import RatingTable
from rankings.numerics.arrays import FloatArray
from rankings.numerics.figure import Figure
from rankings.numerics.intervals import statistic_of_sums

MeasurementLevel = Literal["nominal", "ordinal", "interval", "ratio"]


def krippendorff_alpha(table: RatingTable, level: MeasurementLevel = "nominal") -> Figure:
    """Compute Krippendorff's alpha over units with at least two ratings; n is the number of their ratings."""
    totals = table.unit_counts
    rated = totals.sum(axis=1) >= 2
    totals = totals[rated]
    if not len(totals):
        return Figure.missing(NO_COMMON_UNIT, n=0)
    n_categories = len(table.values)
    coincidences = totals[:, :, None] * totals[:, None, :] - np.eye(n_categories) * totals[:, :, None]
    coincidences = coincidences / (totals.sum(axis=1) - 1)[:, None, None]
    return statistic_of_sums(
        lambda total: _alpha(total.reshape(-1, n_categories, n_categories), table.values, level),
        table.by_context(rated, coincidences.reshape(len(totals), -1)),
        n=round(totals.sum()),
        if_undefined=ONE_CATEGORY,
    )


def _alpha(coincidences: FloatArray, values: FloatArray, level: MeasurementLevel) -> FloatArray:
    """Compute alpha from coincidence matrices, (n, n_categories, n_categories); NaN if only one category occurs."""
    marginals = coincidences.sum(axis=2)  # (n, n_categories)
    distances = _squared_distances(marginals, values, level)
    observed = (coincidences * distances).sum(axis=(1, 2))
    expected = (marginals[:, :, None] * marginals[:, None, :] * distances).sum(axis=(1, 2))
    possible = expected > 0
    disagreement = (marginals.sum(axis=1) - 1) * observed / np.where(possible, expected, 1.0)
    return np.where(possible, 1 - disagreement, np.nan)


def _squared_distances(marginals: FloatArray, values: FloatArray, level: MeasurementLevel) -> FloatArray:
    """(n or 1, n_categories, n_categories)."""
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
