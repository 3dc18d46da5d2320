"""Sureness of answers: three measures between 0 (in doubt) and 1/2 (sure)."""

import numpy as np

from evenhand.numerics.accuracy import both_orders
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.comparisons import Comparisons


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
    return sureness if comparisons.bounded is None else np.where(comparisons.bounded, np.nan, sureness)


def member_sureness(p_first: FloatArray) -> FloatArray:
    """Return 1/2 minus the standard deviation of the members' probabilities, (n,).

    p_first: float, (n_members, n). NaN for a comparison that a member did not answer.
    """
    return np.asarray(0.5 - p_first.std(axis=0))
