"""Choose the next pairs of an adaptive run from the answers so far: `bt-optimal` [Liusie2024b].

Laplace's approximation: scores are normal around the soft Bradley-Terry fit, and the covariance A is the inverse of
its curvature. The best pair raises the determinant of the curvature most. It has the largest w (A_ii + A_jj - 2 A_ij),
where w = p (1 - p) is the weight of the pair.
"""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from evenhand.numerics.arrays import BoolArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import ImpossibleBudget
from evenhand.numerics.fitting.laplacians import pseudo_inverses
from evenhand.numerics.fitting.logistic_newton import negative_hessian
from evenhand.numerics.rankings.product_of_experts import poe_bradley_terry
from evenhand.numerics.selection.d_optimal import GreedySearch
from evenhand.numerics.selection.pair_selection import OrderedPairs

BT_OPTIMAL = "bt-optimal"


def select_next_pairs(
    asked: OrderedPairs, answered: Comparisons, number: int, rng: np.random.Generator
) -> OrderedPairs:
    """Choose the next `number` ordered pairs of one context, none asked before; same for the same state of rng.

    Pairs that connect candidates come first, then the best pairs by the fit. All pairs of one call use the same fit, so
    choose few at a time.
    asked: all pairs that the judge was asked, answered or not. answered: the answered pairs of one context.

    Raises ImpossibleBudget if fewer than `number` ordered pairs are left.
    """
    n = answered.n_candidates
    unasked = n * (n - 1) - len(asked)
    if not 1 <= number <= unasked:
        raise ImpossibleBudget(f"{number} more pairs of {n} candidates were wanted; {unasked} have not been asked")
    open_pairs = ~np.eye(n, dtype=bool)
    open_pairs[asked.first, asked.second] = False
    chosen = connecting_pairs(answered, open_pairs, number, rng)
    if len(chosen) < number:
        chosen += _most_informative(answered, chosen, open_pairs, number - len(chosen), rng)
    return OrderedPairs.of(chosen)


def connecting_pairs(
    answered: Comparisons, open_pairs: BoolArray, number: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Choose at most `number` random open pairs that connect groups of candidates, and close them."""
    groups = _groups(answered)
    chosen: list[tuple[int, int]] = []
    while len(chosen) < number and len(np.unique(groups)) > 1:
        between = np.flatnonzero(open_pairs & (groups[:, None] != groups))
        if not len(between):
            break
        pair = divmod(int(rng.choice(between)), len(groups))
        chosen.append(pair)
        open_pairs[pair] = False
        groups = np.where(groups == groups[pair[1]], groups[pair[0]], groups)
    return chosen


def _most_informative(
    answered: Comparisons,
    connecting: list[tuple[int, int]],
    open_pairs: BoolArray,
    number: int,
    rng: np.random.Generator,
) -> list[tuple[int, int]]:
    search = _search(answered, connecting, ~(open_pairs | open_pairs.T))
    chosen: list[tuple[int, int]] = []
    while len(chosen) < number:
        i, j = search.best()
        search.add(i, j)
        pair = (i, j) if open_pairs[i, j] and (rng.random() < 0.5 or not open_pairs[j, i]) else (j, i)
        open_pairs[pair] = False
        if not open_pairs[pair[::-1]]:
            search.close(i, j)
        chosen.append(pair)
    return chosen


def _search(answered: Comparisons, connecting: list[tuple[int, int]], closed: BoolArray) -> GreedySearch:
    """Start the search from Laplace's approximation.

    Chosen pairs that connect candidates count as ties, because their answers are unknown. If all pairs between two
    groups failed, one pair between them counts as a tie too.
    """
    comparisons = _with_ties(answered, connecting)
    apart = np.unique(_groups(comparisons), return_index=True)[1]
    comparisons = _with_ties(comparisons, [(int(apart[0]), int(other)) for other in apart[1:]])
    n = comparisons.n_candidates
    scores = poe_bradley_terry(comparisons).values
    counts = np.zeros((n, n))
    np.add.at(counts, (comparisons.first, comparisons.second), 1.0)
    hessian = negative_hessian(counts[None], scores[None])
    odds = np.exp(-np.abs(scores - scores[:, None]))  # odds of the less likely winner
    return GreedySearch(pseudo_inverses(hessian)[0], closed, odds / (1 + odds) ** 2)


def _with_ties(answered: Comparisons, pairs: list[tuple[int, int]]) -> Comparisons:
    extra = OrderedPairs.of(pairs)
    ties = Comparisons(answered.n_candidates, extra.first, extra.second, np.full(len(extra), 0.5))
    return Comparisons(answered.n_candidates, answered.first, answered.second, answered.p_first).followed_by(ties)


def _groups(answered: Comparisons) -> IntArray:
    """Return the connected group of each candidate, (n_candidates,)."""
    n = answered.n_candidates
    graph = coo_array((np.ones(len(answered)), (answered.first, answered.second)), shape=(n, n))
    return connected_components(graph, directed=False)[1].astype(np.intp)
