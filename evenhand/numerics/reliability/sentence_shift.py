"""How far an added sentence moves a judge: the same ordered pairs with and without it."""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import pooled_mean, pooled_share, share_figure

NO_PAIR_IN_BOTH = "no ordered pair has an answer in both runs"
NOT_BOTH_ORDERS = "no pair has answers in both orders in both runs"


@dataclass(frozen=True, slots=True)
class ShiftFigures:
    """P(the text with the sentence is preferred) with and without it, and how far apart they are, in these pairs.

    to_it, from_it: shares of the ordered pairs whose decision moves to the text with the sentence, or away from it.
    """

    with_it: Figure
    without_it: Figure
    shift: Figure
    to_it: Figure
    from_it: Figure


@dataclass(frozen=True, slots=True, eq=False)
class SentencePairs:
    """The ordered pairs that both runs answered.

    without, with_it: comparisons of the same ordered pairs in the same order. is_first: bool, (n,). True where the
    first text gets the sentence.
    """

    without: Comparisons
    with_it: Comparisons
    is_first: BoolArray

    @property
    def holders(self) -> IntArray:
        """Return the candidate of each pair that gets the sentence, (n,)."""
        return np.where(self.is_first, self.without.first, self.without.second)

    def preferred(self, comparisons: Comparisons) -> FloatArray:
        """Return P(the text with the sentence is better), (n,)."""
        return np.where(self.is_first, comparisons.p_first, 1 - comparisons.p_first)


def shift_figures(pairs: SentencePairs, chosen: BoolArray | None = None) -> ShiftFigures:
    """Return the shift over the chosen ordered pairs, with 95 % intervals over contexts. chosen: bool, (n,)."""
    chosen = np.ones(len(pairs.without), dtype=bool) if chosen is None else chosen
    before, after = (pairs.preferred(one)[chosen] for one in (pairs.without, pairs.with_it))
    contexts, n_contexts = pairs.without.contexts[chosen], pairs.without.n_contexts
    moved = np.sign(after - 0.5) - np.sign(before - 0.5)
    means = (
        pooled_mean(contexts, one, n_contexts, if_empty=NO_PAIR_IN_BOTH) for one in (after, before, after - before)
    )
    turned = ((moved > 0).astype(float), (moved < 0).astype(float))
    return ShiftFigures(*means, *(pooled_share(contexts, one, n_contexts, if_empty=NO_PAIR_IN_BOTH) for one in turned))


def flips_in_both_orders(pairs: SentencePairs) -> Figure:
    """Return the share of pairs that the sentence turns to its text in both orders.

    Counts pairs answered in both orders in both runs. Turned: without the sentence no order preferred the text, with
    it both do. n is the number of such pairs.
    """
    comparisons = pairs.without
    keys, pair = comparisons.unordered_pairs
    before, after = (np.sign(pairs.preferred(one) - 0.5) for one in (pairs.without, pairs.with_it))
    orders = sums(pair, np.ones(len(pair)), len(keys))
    turned = sums(pair, ((before <= 0) & (after > 0)).astype(float), len(keys))
    contexts = np.zeros(len(keys), dtype=np.intp)
    contexts[pair] = comparisons.contexts
    both = orders == 2
    n = comparisons.n_contexts
    return share_figure(
        sums(contexts[both], (turned[both] == 2).astype(float), n),
        sums(contexts[both], np.ones(int(both.sum())), n),
        if_empty=NOT_BOTH_ORDERS,
    )
