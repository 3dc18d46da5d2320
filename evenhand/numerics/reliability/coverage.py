"""Sureness of answers, and the accuracy on the comparisons that a judge is surest of [ElYaniv2010]."""

import numpy as np

from evenhand.numerics.accuracy import NO_TRUTH, both_orders, why_no_preference
from evenhand.numerics.arrays import FloatArray, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import share_figures

_DIGITS = 12
"""Without rounding, p and 1 - p would not be equally sure."""


def probability_sureness(comparisons: Comparisons) -> FloatArray:
    """Return |p_first - 1/2| of each comparison, (n,); NaN where p_first is not known."""
    return _of_known(comparisons, np.abs(comparisons.p_first - 0.5))


def order_sureness(comparisons: Comparisons) -> FloatArray:
    """Return 1/2 minus half the difference between both orders of the pair, (n,); NaN for pairs in one order."""
    sureness = np.full(len(comparisons), np.nan)
    forward, reverse = both_orders(comparisons)
    between = np.abs(comparisons.p_first[forward] + comparisons.p_first[reverse] - 1)
    sureness[forward] = sureness[reverse] = (1 - between) / 2
    return _of_known(comparisons, sureness)


def _of_known(comparisons: Comparisons, sureness: FloatArray) -> FloatArray:
    sureness = np.round(sureness, _DIGITS)
    return sureness if comparisons.bounded is None else np.where(comparisons.bounded, np.nan, sureness)


def member_sureness(p_first: FloatArray) -> FloatArray:
    """Return 1/2 minus the standard deviation of the members' probabilities, (n,).

    p_first: float, (n_members, n). NaN for a comparison that a member did not answer.
    """
    return np.asarray(np.round(0.5 - p_first.std(axis=0), _DIGITS))


COVERAGES = tuple(number / 10 for number in range(1, 11))
"""Shares of the comparisons, the surest first."""


def accuracy_at_coverages(
    comparisons: Comparisons, right: FloatArray, sureness: FloatArray | None = None
) -> list[Figure]:
    """Return the accuracy on each share of COVERAGES, with intervals over contexts; a tie counts 1/2.

    Comparisons come by falling sureness. Those that are equally sure count in equal part, so their order does
    not matter. The last accuracy is that of all comparisons.
    right: float, (n,), from `human_preferences`; NaN is left out.
    sureness: float, (n,); NaN is left out. Default: |p_first - 1/2|.
    """
    sure = probability_sureness(comparisons) if sureness is None else sureness
    known = ~np.isnan(right) & ~np.isnan(sure)
    if not known.any():
        return [Figure.missing(why_no_preference(comparisons), n=0) for _ in COVERAGES]
    p_first, contexts = comparisons.p_first[known], comparisons.contexts[known]
    credits = 1 - np.abs(decide(p_first) - right[known])
    weights = _weights(sure[known])
    numerators, denominators = (
        np.column_stack([sums(contexts, column, comparisons.n_contexts) for column in columns.T])
        for columns in (weights * credits[:, None], weights)
    )
    return share_figures(numerators, denominators, if_empty=NO_TRUTH)


def _weights(sureness: FloatArray) -> FloatArray:
    """Return the part of each comparison that counts at each share, (n, n_shares). sureness: float, (n,)."""
    _, kinds, sizes = np.unique(-sureness, return_inverse=True, return_counts=True)
    surer = np.cumsum(sizes) - sizes  # the number of surer comparisons, of each kind
    wanted = np.array(COVERAGES) * len(sureness)
    parts = np.clip((wanted - surer[:, None]) / sizes[:, None], 0.0, 1.0)  # (n_kinds, n_shares)
    return np.asarray(parts[kinds])
