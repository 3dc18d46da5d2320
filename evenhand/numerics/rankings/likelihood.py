"""The order of the candidates that makes the answers most likely [Liusie2024, appendix B].

The order that maximises the product of p^z (1 - p)^(1 - z) over the comparisons, z being 1 where `first` stands above
`second`, is the best linear ordering for the weights logit(p). Candidates fall into strongly connected components of
the graph of preferences; these follow each other in topological order, so only their insides must be searched.
"""

from functools import partial
from hashlib import sha256

import numpy as np
from scipy.special import logit

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import required
from evenhand.numerics.decisions import decide
from evenhand.numerics.first_shares import FirstShares
from evenhand.numerics.fitting.batches import batches
from evenhand.numerics.pairs import pair_indices
from evenhand.numerics.rankings.exact_ordering import best_orders
from evenhand.numerics.rankings.linear_ordering import best_found_order
from evenhand.numerics.rankings.mean_places import alike_numbers, mean_places
from evenhand.numerics.rankings.orders_by_preference import LARGEST_AS_BITS, Relations
from evenhand.numerics.rankings.product_of_experts import clipped
from evenhand.numerics.scores import Reason, Scores, rounded

LARGEST_EXACT = 16
"""Components of more candidates than this are searched from many starts, which may miss the best order."""
LARGEST_ORDERED = 5_000
"""Contexts with more compared candidates than this get no order: the search costs N^2 memory."""


def likelihood(comparisons: Comparisons) -> Scores:
    """Score each candidate by minus its position in the most likely order; the best has -1.

    Exact where no component has more than LARGEST_EXACT candidates. Where preferences leave a candidate free, and where
    the answers do not separate candidates, it has a mean position (`mean_places`). Of other equally likely orders
    within a component, one is drawn, always the same: the order of the dataset decides nothing.
    """
    return scores_of_likely_orders(comparisons, logit(clipped(comparisons.p_first)))


def scores_of_likely_orders(comparisons: Comparisons, weights: FloatArray) -> Scores:
    """Return scores as `likelihood` does.

    weights: float, (n,). Log-likelihood that a comparison adds if its first candidate stands above the second, less
    the log-likelihood that it adds otherwise.
    """
    values = np.zeros(comparisons.n_candidates)
    reasons = np.where(comparisons.compared, int(Reason.NONE), int(Reason.NO_COMPARISONS))
    for batch in batches(comparisons):
        if batch.size > LARGEST_ORDERED:
            reasons[batch.candidates] = Reason.TOO_MANY_CANDIDATES
            continue
        net = net_gains(batch.totals(weights[batch.members]))
        # Where every pair was asked in both orders, raw and debiased answers have the same net gains and one search.
        places = comparisons.of_pairs(("places", sha256(net.data).digest()), partial(likely_places, net))
        values[batch.candidates] = -places
    return Scores.without_errors(values, reasons)


def net_gains(for_first: FloatArray) -> FloatArray:
    """Return the gain of i above j in each context, (n_contexts, size, size).

    for_first: float, of the same shape. The weights of the comparisons in which i came first.
    """
    return np.ascontiguousarray(rounded(for_first - for_first.transpose(0, 2, 1)))


def likely_places(net: FloatArray) -> FloatArray:
    """Return the place of each candidate that `likelihood` describes, 1 for the best, (n_contexts, size).

    net: float, (n_contexts, size, size), from `net_gains`.
    """
    pairs = pair_indices(net.shape[1])
    alike = alike_numbers(net[:, *pairs].T)
    drawn = np.argsort(alike, axis=0).T  # new numbers that say nothing of the dataset's order
    net = np.take_along_axis(np.take_along_axis(net, drawn[:, :, None], axis=1), drawn[:, None], axis=2)
    if net.shape[1] <= LARGEST_AS_BITS:
        relations = Relations.of(net[:, *pairs].T)
    else:
        relations = Relations(*map(np.hstack, zip(*map(Relations.of_large, net), strict=True)))
    places = np.empty(drawn.shape)
    orders = _likely_orders(net, relations.ranks.T)
    np.put_along_axis(places, drawn, mean_places(orders.T, relations, np.sort(alike, axis=0)).T, axis=1)
    return places


def _likely_orders(net: FloatArray, ranks: IntArray) -> IntArray:
    """Return a most likely order of each context, best candidate first, (n_contexts, size).

    ranks: int, (n_contexts, size), of `Relations`.
    """
    orders = np.argsort(ranks, axis=1, kind="stable")
    ordered = np.take_along_axis(ranks, orders, axis=1)
    begins = np.insert(ordered[:, 1:] != ordered[:, :-1], 0, values=True, axis=1)
    edges = np.flatnonzero(np.append(begins, True))
    starts, sizes = edges[:-1], np.diff(edges)
    small = (sizes > 1) & (sizes <= LARGEST_EXACT)
    if small.any():
        orders = _order_exactly(net, orders, starts[small], sizes[small])
    for start, size in zip(starts[sizes > LARGEST_EXACT], sizes[sizes > LARGEST_EXACT], strict=True):
        row, column = divmod(start, net.shape[1])
        members = orders[row, column : column + size]
        orders[row, column : column + size] = members[best_found_order(net[row][np.ix_(members, members)])]
    return orders


def _order_exactly(net: FloatArray, orders: IntArray, starts: IntArray, sizes: IntArray) -> IntArray:
    """Return the orders with some components put in their best order.

    starts, sizes: int, (n_components,). First index of each in the flattened orders, and its number of candidates.
    """
    inside = np.arange(sizes.max()) < sizes[:, None]  # (n_components, largest)
    cells = starts[:, None] + np.where(inside, np.arange(sizes.max()), 0)
    rows, members = starts // orders.shape[1], orders.ravel()[cells]
    nets = net[rows[:, None, None], members[:, :, None], members[:, None, :]]
    best = best_orders(np.where(inside[:, :, None] & inside[:, None, :], nets, 0.0), sizes)
    ordered = orders.flatten()
    ordered[cells[inside]] = np.take_along_axis(members, best, axis=1)[inside]
    return ordered.reshape(orders.shape)


def hard_likelihood(comparisons: Comparisons, *, shares: FirstShares | None = None) -> Scores:
    """Score each candidate by minus its position in the order that makes its hard decisions most likely.

    The likelihood is the product of P(decision | z) [Liusie2024, equation 13]. Without position bias every decision
    weighs the same. With it, a decision for the position that the judge prefers weighs less.

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
