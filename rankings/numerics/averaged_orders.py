"""Average both orders of each pair, which removes position bias without a threshold."""

import numpy as np

from rankings.numerics.accuracy import NO_PAIR_TWICE, accuracy, both_orders
from rankings.numerics.arrays import FloatArray, IntArray
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.exceptions import Undefined
from rankings.numerics.figure import Figure


def mean_of_both_orders(comparisons: Comparisons) -> Comparisons:
    """Average the answers of pairs that were answered in both orders [Liusie2024b].

    i before j gets (p_ij + 1 - p_ji) / 2, and j before i gets 1 minus that. Pairs answered in one order are left out.

    Raises Undefined if no pair was answered in both orders.
    """
    there, back = both_orders(comparisons)
    if not len(there):
        raise Undefined(NO_PAIR_TWICE)
    p_first = comparisons.p_first.copy()
    p_first[there] = _means(comparisons, there, back)
    p_first[back] = 1 - p_first[there]
    return comparisons.with_p_first(p_first).select(np.sort(np.concatenate([there, back])))


def accuracy_averaged(comparisons: Comparisons, right: FloatArray) -> Figure:
    """Return the share of pairs whose averaged answer agrees with people; a tie counts 1/2.

    right: float, (n,), from `human_preferences`.
    """
    there, back = both_orders(comparisons)
    if not len(there):
        return Figure.missing(NO_PAIR_TWICE, n=0)
    return accuracy(comparisons.select(there).with_p_first(_means(comparisons, there, back)), right[there])


def _means(comparisons: Comparisons, there: IntArray, back: IntArray) -> FloatArray:
    """Average both orders, (n_pairs,). Written so that equal answers in both orders give exactly 1/2."""
    return 0.5 + (comparisons.p_first[there] - comparisons.p_first[back]) / 2
