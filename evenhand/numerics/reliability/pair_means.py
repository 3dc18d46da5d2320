"""The mean p_first of each ordered pair of systems, and the answers to each pair of texts in both orders."""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.accuracy import NO_PAIR_TWICE, both_orders, order_agreement
from evenhand.numerics.arrays import FloatArray, IntArray, counts, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import pooled_mean
from evenhand.numerics.pairs import pair_indices


@dataclass(frozen=True, slots=True, eq=False)
class PairMeans:
    """The mean p_first with the row's system shown first and the column's second.

    means: float, (n, n). NaN without a comparison. counts: int, (n, n). Number of comparisons.
    """

    means: FloatArray
    counts: IntArray

    @classmethod
    def of(cls, comparisons: Comparisons, systems: IntArray, *, n_systems: int) -> "PairMeans":
        """Average the answers of each ordered pair. systems: int, (n_candidates,), from 0; -1 is left out."""
        comparisons = comparisons.known()
        first, second = systems[comparisons.first], systems[comparisons.second]
        known = (first >= 0) & (second >= 0)
        cells, shape = first[known] * n_systems + second[known], (n_systems, n_systems)
        numbers = counts(cells, n_systems**2)
        totals = sums(cells, comparisons.p_first[known], n_systems**2)
        means = np.where(numbers > 0, totals / np.maximum(numbers, 1), np.nan)
        return cls(means.reshape(shape), numbers.reshape(shape))

    def in_order(self, order: IntArray) -> "PairMeans":
        """Return the matrix of some systems in another order."""
        chosen = np.ix_(order, order)
        return PairMeans(self.means[chosen], self.counts[chosen])

    @property
    def preferences(self) -> FloatArray:
        """Return how far the lower system of each unordered pair is preferred, (n_pairs,); NaN for unanswered pairs.

        It is the mean over the orders that were asked: below 1/2 where the higher row is preferred.
        """
        above, below = pair_indices(len(self.means))
        sides = np.stack([1 - self.means[above, below], self.means[below, above]])
        known = ~np.isnan(sides)
        total = np.where(known, sides, 0.0).sum(axis=0)
        return np.where(known.any(axis=0), total / np.maximum(known.sum(axis=0), 1), np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class OrderPairs:
    """P(better) of the first text of each pair in the dataset's order. Without position bias both are equal.

    shown_first, shown_second: float, (n_pairs,). Its probability when it is shown first, and second.
    mean_first, mean_second: over the pairs. lean: mean difference. n counts pairs; intervals are over contexts.
    flipped: share of pairs whose decisions differ between the orders.
    """

    shown_first: FloatArray
    shown_second: FloatArray
    mean_first: Figure
    mean_second: Figure
    lean: Figure
    flipped: Figure

    @classmethod
    def of(cls, comparisons: Comparisons) -> "OrderPairs":
        """Read the pairs that were answered in both orders. Raises Undefined without one."""
        known = comparisons.known()
        forward, reverse = both_orders(known)
        if not len(forward):
            raise Undefined(NO_PAIR_TWICE)
        first, second = known.p_first[forward], 1 - known.p_first[reverse]
        contexts, n = known.contexts[forward], known.n_contexts
        mean_first, mean_second, lean = (
            pooled_mean(contexts, one, n, if_empty=NO_PAIR_TWICE) for one in (first, second, first - second)
        )
        return cls(first, second, mean_first, mean_second, lean, order_agreement(comparisons).complement())
