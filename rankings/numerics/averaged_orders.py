"""Symmetric use of a judge: the mean of both orders of a pair takes position bias out without a threshold."""

import numpy as np

from rankings.numerics.accuracy import NO_PAIR_TWICE, accuracy, both_orders
from rankings.numerics.arrays import FloatArray, IntArray
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.exceptions import Undefined
from rankings.numerics.figure import Figure


def averaged(comparisons: Comparisons) -> Comparisons:
    """The pairs answered in both orders, i before j with (p_ij + 1 - p_ji) / 2, j before i with the rest [Liusie2024b].

    Pairs answered in one order are left out. Raises Undefined where no pair was answered in both orders.
    """
    there, back = both_orders(comparisons)
    if not len(there):
        raise Undefined(NO_PAIR_TWICE)
    p_first = comparisons.p_first.copy()
    p_first[there] = _means(comparisons, there, back)
    p_first[back] = 1 - p_first[there]
    return comparisons.with_p_first(p_first).select(np.sort(np.concatenate([there, back])))


def accuracy_averaged(comparisons: Comparisons, right: FloatArray) -> Figure:
    """Share of the pairs answered in both orders that their mean decides as people do; a tie counts 1/2.

    right: float, (n,), from `truth`.
    """
    there, back = both_orders(comparisons)
    if not len(there):
        return Figure.missing(NO_PAIR_TWICE, n=0)
    return accuracy(comparisons.select(there).with_p_first(_means(comparisons, there, back)), right[there])


def _means(comparisons: Comparisons, there: IntArray, back: IntArray) -> FloatArray:
    """(n_pairs,); written so that two answers for the same place are a tie to the last digit."""
    return 0.5 + (comparisons.p_first[there] - comparisons.p_first[back]) / 2
