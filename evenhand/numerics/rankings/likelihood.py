"""The order of the candidates that makes the answers most likely [Liusie2024, appendix B].

The order that maximises the product of p^z (1 - p)^(1 - z) over the comparisons, z being 1 where `first` stands above
`second`, is the best linear ordering for the weights logit(p). Candidates fall into strongly connected components of
the graph of preferences; these follow each other in topological order, so only their insides must be searched.
"""

from functools import partial
from hashlib import sha256

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import logit

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import required
from evenhand.numerics.decisions import decide
from evenhand.numerics.first_shares import FirstShares
from evenhand.numerics.fitting.batches import batches
from evenhand.numerics.rankings.exact_ordering import best_orders
from evenhand.numerics.rankings.linear_ordering import best_found_order
from evenhand.numerics.rankings.product_of_experts import clipped
from evenhand.numerics.scores import Reason, Scores, rounded

LARGEST_EXACT = 16
"""Components of more candidates than this are searched from many starts, which may miss the best order."""
LARGEST_ORDERED = 5_000
"""Contexts with more compared candidates than this get no order: the search costs N^2 memory."""


def likelihood(comparisons: Comparisons) -> Scores:
    """Score each candidate by minus its position in the most likely order; the best has -1.

    Exact where no component has more than LARGEST_EXACT candidates. Scores never tie: the candidates' numbers decide
    between equally likely orders. First come the components that no other is preferred to, then those that only these
    are preferred to, and so on; within such a level, by their lowest numbers. Within a component, positions are filled
    from the last up, each with the lowest number that can stand there.
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
        orders = comparisons.of_pairs(("orders", sha256(net.data).digest()), partial(likely_orders, net))
        order = np.take_along_axis(batch.candidates, orders, axis=1)
        values[order] = -np.arange(1, batch.size + 1)
    return Scores.without_errors(values, reasons)


def net_gains(for_first: FloatArray) -> FloatArray:
    """Return the gain of i above j in each context, (n_contexts, size, size).

    for_first: float, of the same shape. The weights of the comparisons in which i came first.
    """
    return np.ascontiguousarray(rounded(for_first - for_first.transpose(0, 2, 1)))


def likely_orders(net: FloatArray) -> IntArray:
    """Return the order of each context that `likelihood` describes, best candidate first, (n_contexts, size).

    net: float, (n_contexts, size, size), from `net_gains`.
    """
    components, ranks = _components(net)
    orders = np.argsort(ranks, axis=1, kind="stable")
    edges = np.flatnonzero(np.diff(np.take_along_axis(components, orders, axis=1).ravel(), prepend=-1, append=-1))
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


def _components(net: FloatArray) -> tuple[IntArray, IntArray]:
    """Return each candidate's strongly connected component and the component's rank in topological order.

    Both (n_contexts, size). Candidates of one component share a rank, and no two components do.
    """
    n_contexts, size, _ = net.shape
    row, above, below = np.nonzero(net > 0)
    n = n_contexts * size
    graph = csr_array((np.ones(len(row), dtype=np.intp), (row * size + above, row * size + below)), shape=(n, n))
    n_components, labels = connected_components(graph, directed=True, connection="strong")
    lowest = np.full(n_components, n)
    np.minimum.at(lowest, labels, np.arange(n))
    ranked = np.lexsort((lowest, _levels(graph, labels, n_components)))
    rank = np.empty(n_components, dtype=np.intp)
    rank[ranked] = np.arange(n_components)
    return labels.reshape(n_contexts, size).astype(np.intp), rank[labels].reshape(n_contexts, size)


def _levels(graph: csr_array, labels: IntArray, n_components: int) -> IntArray:
    """Return the length of the longest path of components to each component, (n_components,)."""
    edges = graph.tocoo()
    parent, child = labels[edges.coords[0]], labels[edges.coords[1]]
    between = parent != child
    ones = np.ones(int(between.sum()), dtype=np.intp)
    condensed = csr_array((ones, (parent[between], child[between])), shape=(n_components, n_components))
    n_parents = np.bincount(condensed.indices, weights=condensed.data, minlength=n_components)
    levels = np.zeros(n_components, dtype=np.intp)
    ready = np.flatnonzero(n_parents == 0)
    level = 0
    while len(ready):
        levels[ready] = level
        children = condensed[ready]
        n_ready_parents = np.bincount(children.indices, weights=children.data, minlength=n_components)
        n_parents = n_parents - n_ready_parents
        ready = np.flatnonzero((n_parents == 0) & (n_ready_parents > 0))
        level += 1
    return levels


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
