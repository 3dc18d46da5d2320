"""Agreement beyond chance in categories: percent agreement, Cohen's and Fleiss' kappa.

Each is a function of sums over units, so its interval only needs the sums of each context.
"""

import numpy as np

from rankings.numerics.agreement.rating_tables import RatingTable
from rankings.numerics.arrays import FloatArray, IntArray
from rankings.numerics.figure import Figure
from rankings.numerics.intervals import statistic_of_sums

NO_COMMON_UNIT = "no unit has two ratings"
ONE_CATEGORY = "all ratings are of one category, so agreement by chance is certain"


def percent_agreement(table: RatingTable) -> Figure:
    """Return the share of agreeing pairs of ratings of the same unit, from 0 to 1; n counts these pairs."""
    totals = table.unit_counts
    raters = totals.sum(axis=1)
    pairs = raters * (raters - 1) / 2
    agreeing = (totals * (totals - 1)).sum(axis=1) / 2
    rated = pairs > 0
    if not rated.any():
        return Figure.missing(NO_COMMON_UNIT, n=0)
    return statistic_of_sums(
        lambda total: total[:, 0] / total[:, 1],
        table.by_context(rated, np.stack([agreeing, pairs], axis=1)[rated]),
        n=round(pairs.sum()),
        if_undefined=NO_COMMON_UNIT,
    )


def cohen_kappa(table: RatingTable, one: int = 0, other: int = 1) -> Figure:
    """Compute Cohen's kappa of two raters over the units that both rated; n is their number [Cohen1960]."""
    both = (table.codes[one] >= 0) & (table.codes[other] >= 0)
    if not both.any():
        return Figure.missing(NO_COMMON_UNIT, n=0)
    n_categories = len(table.values)
    confusion = _one_hot(table.codes[one, both] * n_categories + table.codes[other, both], n_categories**2)
    return statistic_of_sums(
        lambda total: _cohen(total.reshape(-1, n_categories, n_categories)),
        table.by_context(both, confusion),
        n=int(both.sum()),
        if_undefined=ONE_CATEGORY,
    )


def mean_cohen_kappa(table: RatingTable) -> Figure:
    """Average Cohen's kappa over the pairs of raters that have one; n is the number of these pairs."""
    pairs = zip(*np.triu_indices(table.n_raters, 1), strict=True)
    kappas = [cohen_kappa(table, int(one), int(other)).value for one, other in pairs]
    defined = [kappa for kappa in kappas if kappa is not None]
    if not defined:
        return Figure.missing("no two raters have a Cohen's kappa", n=0)
    return Figure(float(np.mean(defined)), n=len(defined))


def fleiss_kappa(table: RatingTable) -> Figure:
    """Compute Fleiss' kappa over units with at least two ratings; n is their number [Fleiss1971].

    Units may have different numbers of ratings. Each unit's agreement has the same weight; category shares are over
    all ratings.
    """
    totals = table.unit_counts
    raters = totals.sum(axis=1)
    rated = raters >= 2
    totals, raters = totals[rated], raters[rated]
    if not len(totals):
        return Figure.missing(NO_COMMON_UNIT, n=0)
    agreement = (totals * (totals - 1)).sum(axis=1) / (raters * (raters - 1))
    return statistic_of_sums(
        _fleiss,
        table.by_context(rated, np.concatenate([agreement[:, None], np.ones((len(totals), 1)), totals], axis=1)),
        n=len(totals),
        if_undefined=ONE_CATEGORY,
    )


def _cohen(confusion: FloatArray) -> FloatArray:
    """Compute kappa from confusion matrices, (n, n_categories, n_categories); NaN if chance agreement is certain."""
    total = confusion.sum(axis=(1, 2))
    observed = np.trace(confusion, axis1=1, axis2=2) / total
    expected = (confusion.sum(axis=1) * confusion.sum(axis=2)).sum(axis=1) / total**2
    return beyond_chance(observed, expected)


def _fleiss(total: FloatArray) -> FloatArray:
    """total: sums of agreement, units, and ratings of each category, (n, 2 + n_categories)."""
    observed = total[:, 0] / total[:, 1]
    shares = total[:, 2:] / total[:, 2:].sum(axis=1, keepdims=True)
    return beyond_chance(observed, (shares**2).sum(axis=1))


def beyond_chance(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """Return (observed - expected) / (1 - expected); NaN if expected is 1."""
    room = 1 - expected
    possible = room > 1e-12
    return np.where(possible, (observed - expected) / np.where(possible, room, 1.0), np.nan)


def _one_hot(codes: IntArray, n_codes: int) -> FloatArray:
    return (codes[:, None] == np.arange(n_codes)).astype(np.float64)
