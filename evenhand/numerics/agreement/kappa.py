"""Agreement beyond chance in categories: percent agreement, Cohen's and Fleiss' kappa.

Each is a function of sums over units, so its interval needs only the sums of each context.
"""

from collections.abc import Callable

import numpy as np

from evenhand.numerics.accuracy import why_no_preference
from evenhand.numerics.agreement.rating_tables import RatingTable
from evenhand.numerics.arrays import BoolArray, FloatArray, counts
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import share_figure, statistic_of_sums
from evenhand.numerics.votes import NO_MAJORITY_OF_OTHERS, Votes, majority_of_others

NO_COMMON_UNIT = "no unit has two ratings"
ONE_CATEGORY = "all ratings are of one category, so agreement by chance is certain"


def percent_agreement(table: RatingTable) -> Figure:
    """Return the share of agreeing pairs of ratings of the same unit, from 0 to 1; n counts these pairs."""
    totals = table.unit_counts
    raters = totals.sum(axis=1)
    pairs = raters * (raters - 1) / 2
    agreeing = (totals * (totals - 1)).sum(axis=1) / 2
    rated = pairs > 0
    parts = np.stack([agreeing, pairs], axis=1)[rated]
    return share_figure(*table.by_context(rated, parts).T, if_empty=NO_COMMON_UNIT)


def cohen_kappa(table: RatingTable, one: int = 0, other: int = 1) -> Figure:
    """Compute Cohen's kappa of two raters over the units that both rated; n is their number [Cohen1960]."""
    both = (table.codes[one] >= 0) & (table.codes[other] >= 0)
    n_categories = len(table.values)
    cells = table.codes[one, both] * n_categories + table.codes[other, both]
    confusion = (cells[:, None] == np.arange(n_categories**2)).astype(np.float64)
    return statistic_of_units(
        lambda total: _cohen(total.reshape(-1, n_categories, n_categories)), table, both, confusion, n=int(both.sum())
    )


def kappa_with_people(comparisons: Comparisons, right: FloatArray) -> Figure:
    """Compute Cohen's kappa of decisions and people's preferences: first, second or tie as shown [Cohen1960].

    right: float, (n,), from `human_preferences`. n is the number of comparisons with a preference.
    """
    known = ~np.isnan(right)
    if not known.any():
        return Figure.missing(why_no_preference(comparisons), n=0)
    cells = (6 * decide(comparisons.p_first[known]) + 2 * right[known]).astype(np.intp)
    contexts = np.unique(comparisons.contexts[known], return_inverse=True)[1]
    n_contexts = contexts.max() + 1
    confusion = counts(9 * contexts + cells, 9 * n_contexts).reshape(n_contexts, 9).astype(np.float64)
    return statistic_of_sums(
        lambda total: _cohen(total.reshape(-1, 3, 3)), confusion, n=int(known.sum()), if_undefined=ONE_CATEGORY
    )


def kappa_of_people(votes: Votes, recorded: BoolArray) -> Figure:
    """Compute Cohen's kappa of votes and the strict majority of the other raters: first, second or tie as shown.

    recorded: bool, (n_contexts,). Contexts whose votes count. n is the number of votes with such a majority.
    """
    chosen = votes.of_contexts(recorded)
    return chosen.once("kappa_of_people", lambda: _kappa_of_votes(chosen))


def _kappa_of_votes(chosen: Votes) -> Figure:
    others, pairs = majority_of_others(chosen), chosen.comparisons
    if np.isnan(others).all():
        return Figure.missing(NO_MAJORITY_OF_OTHERS, n=0)
    return kappa_with_people(pairs, np.where(pairs.first < pairs.second, others, 1 - others))


def fleiss_kappa(table: RatingTable) -> Figure:
    """Compute Fleiss' kappa over units with at least two ratings; n is their number [Fleiss1971].

    Units may have different numbers of ratings. Each unit's agreement has the same weight; category shares are over
    all ratings.
    """
    totals = table.unit_counts
    raters = totals.sum(axis=1)
    rated = raters >= 2
    totals, raters = totals[rated], raters[rated]
    agreement = (totals * (totals - 1)).sum(axis=1) / (raters * (raters - 1))
    parts = np.column_stack([agreement, np.ones(len(totals)), totals])
    return statistic_of_units(_fleiss, table, rated, parts, n=len(totals))


def statistic_of_units(
    statistic: Callable[[FloatArray], FloatArray], table: RatingTable, rated: BoolArray, parts: FloatArray, *, n: int
) -> Figure:
    """Compute a statistic of sums over units, with a 95 % interval over contexts.

    statistic: as in `statistic_of_sums`; NaN if all ratings are of one category.
    rated: bool, (n_units,). Units that count. parts: float, (n_rated, n_parts). Contribution of each to the sums.
    """
    if not rated.any():
        return Figure.missing(NO_COMMON_UNIT, n=0)
    return statistic_of_sums(statistic, table.by_context(rated, parts), n=n, if_undefined=ONE_CATEGORY)


def _cohen(confusion: FloatArray) -> FloatArray:
    """Compute kappa from confusion matrices, (n, n_categories, n_categories); NaN if chance agreement is certain."""
    total = confusion.sum(axis=(1, 2))
    observed = np.trace(confusion, axis1=1, axis2=2) / total
    expected = (confusion.sum(axis=1) * confusion.sum(axis=2)).sum(axis=1) / total**2
    return _beyond_chance(observed, expected)


def _fleiss(total: FloatArray) -> FloatArray:
    """Compute kappa from sums of agreement, units, and ratings of each category, (n, 2 + n_categories)."""
    observed = total[:, 0] / total[:, 1]
    shares = total[:, 2:] / total[:, 2:].sum(axis=1, keepdims=True)
    return _beyond_chance(observed, (shares**2).sum(axis=1))


def _beyond_chance(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """Return (observed - expected) / (1 - expected); NaN if expected is 1."""
    room = 1 - expected
    possible = room > 1e-12
    return np.where(possible, (observed - expected) / np.where(possible, room, 1.0), np.nan)
