"""The answers to each pair in both orders, and the mean lean from one order to the other."""

from dataclasses import dataclass

from evenhand.numerics.accuracy import NO_PAIR_TWICE, both_orders, order_agreement
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import pooled_mean


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
