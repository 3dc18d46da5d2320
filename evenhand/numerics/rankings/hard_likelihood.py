"""The order of the candidates that makes hard decisions most likely [Liusie2024, equation 13].

The likelihood is the product of P(decision | z) over the comparisons, z being 1 where `first` stands above `second`.
Without position bias, P(first | 1) = P(second | 0), so every decision weighs the same. With it, a decision for the
position that the judge prefers weighs less.
"""

import numpy as np

from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import required
from evenhand.numerics.decisions import decide
from evenhand.numerics.first_shares import FirstShares
from evenhand.numerics.rankings.likelihood import scores_of_likely_orders
from evenhand.numerics.rankings.product_of_experts import clipped
from evenhand.numerics.scores import Scores


def hard_likelihood(comparisons: Comparisons, *, shares: FirstShares | None = None) -> Scores:
    """Score each candidate by minus its position in the most likely order, as `likelihood` does.

    shares: probabilities that the judge chooses the first candidate, of the whole run; default: no position bias.

    Raises Undefined if the shares do not exist.
    """
    return scores_of_likely_orders(comparisons, decision_weights(comparisons.p_first, shares))


def decision_weights(p_first: FloatArray, shares: FirstShares | None) -> FloatArray:
    """Return the log-likelihood ratio of `first` above `second`, given the decision, up to a positive factor: (n,).

    A decision for `first` and one for `second` are 2 apart. So pairs asked in both orders have the same net gains with
    shares as without. A tie is half a decision for each candidate. Raises Undefined if the shares do not exist.
    """
    decisions = decide(p_first)
    if shares is None:
        return 2 * decisions - 1
    if_better, if_worse = clipped(np.array([required(shares.if_better), required(shares.if_worse)]))
    for_first, for_second = np.log(if_better / if_worse), np.log((1 - if_better) / (1 - if_worse))
    if if_better == if_worse:  # no decision says anything
        return np.zeros(len(decisions))
    return (decisions * for_first + (1 - decisions) * for_second) * (2 / abs(for_first - for_second))
