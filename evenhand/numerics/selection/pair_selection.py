"""Choose the ordered pairs of one context that a judge is asked, before any answer is known."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from evenhand.numerics.arrays import BoolArray, IntArray
from evenhand.numerics.exceptions import ImpossibleBudget, UnknownSelection
from evenhand.numerics.selection.d_optimal import design_sequence
from evenhand.numerics.selection.pairs_sort import PAIRS_SORT, most_sort_comparisons


@dataclass(frozen=True, slots=True, eq=False)
class OrderedPairs:
    """Ordered pairs of candidates numbered 0 to n_candidates - 1: first, second, int, (n,)."""

    first: IntArray
    second: IntArray

    @classmethod
    def of(cls, pairs: ArrayLike) -> "OrderedPairs":
        """Take pairs of first and second, in a list or an array."""
        return cls(*np.asarray(pairs, dtype=np.intp).reshape(-1, 2).T)

    def __len__(self) -> int:
        return len(self.first)


def select_pairs(selection: str, n_candidates: int, budget: int | None, rng: np.random.Generator) -> OrderedPairs:
    """Choose `budget` ordered pairs, each at most once; same for the same state of rng.

    full         every ordered pair; takes no budget.
    as-given     every pair once, in the order of the candidates; takes no budget.
    random       any ordered pairs.
    no-repeat    no pair in both orders; the order is random.
    symmetric    every chosen pair in both orders, so the budget must be even.
    d-optimal    most informative pairs for the Gaussian expert, chosen greedily [Liusie2024b].
    If the budget allows it, the pairs connect all candidates. A larger budget only adds pairs.

    Raises UnknownSelection, and ImpossibleBudget if the selection cannot choose this number of pairs.
    """
    if selection in _WITHOUT_BUDGET:
        return _all_pairs(selection, n_candidates, budget)
    if selection not in _CHOOSERS:
        raise UnknownSelection(f'no selection is called "{selection}"; there are {", ".join(SELECTIONS)}')
    if budget is None:
        raise ImpossibleBudget(f'selection "{selection}" needs a number of comparisons per context')
    most = most_comparisons(selection, n_candidates)
    if not 1 <= budget <= most:
        raise ImpossibleBudget(
            f'{budget} comparisons of {n_candidates} candidates cannot be chosen by "{selection}"; give 1 to {most}'
        )
    return _CHOOSERS[selection](n_candidates, budget, rng)


def pairs_with_anchors(anchors: IntArray, n_candidates: int) -> OrderedPairs:
    """Pair every other candidate with each anchor, in both orders. anchors: candidates, (n_anchors,)."""
    others = np.setdiff1d(np.arange(n_candidates), anchors)
    one, other = (grid.ravel() for grid in np.meshgrid(anchors, others, indexing="ij"))
    return OrderedPairs(np.concatenate([one, other]), np.concatenate([other, one]))


def most_comparisons(selection: str, n_candidates: int) -> int:
    """Return the largest budget of a selection."""
    if selection == PAIRS_SORT:
        return most_sort_comparisons(n_candidates)
    unordered = n_candidates * (n_candidates - 1) // 2
    return unordered if selection in _ONE_ORDER else 2 * unordered


def _all_pairs(selection: str, n_candidates: int, budget: int | None) -> OrderedPairs:
    most = most_comparisons(selection, n_candidates)
    if budget not in (None, most):
        raise ImpossibleBudget(
            f'selection "{selection}" makes {most} comparisons of {n_candidates} candidates, not {budget}'
        )
    return _WITHOUT_BUDGET[selection](n_candidates)


def _random(n_candidates: int, budget: int, rng: np.random.Generator) -> OrderedPairs:
    tree = _turned_at_random(_random_tree(n_candidates, budget, rng), rng)
    unused = ~np.eye(n_candidates, dtype=bool)
    unused[tree.first, tree.second] = False
    return _filled_up(tree, unused, budget, rng)


def _no_repeat(n_candidates: int, budget: int, rng: np.random.Generator) -> OrderedPairs:
    return _turned_at_random(_random_unordered(n_candidates, budget, rng), rng)


def _symmetric(n_candidates: int, budget: int, rng: np.random.Generator) -> OrderedPairs:
    if budget % 2:
        raise ImpossibleBudget(f'selection "symmetric" asks both orders of a pair; {budget} comparisons are not even')
    pairs = _random_unordered(n_candidates, budget // 2, rng)
    return OrderedPairs.of(np.stack([pairs.first, pairs.second, pairs.second, pairs.first], axis=1))


def _d_optimal(n_candidates: int, budget: int, rng: np.random.Generator) -> OrderedPairs:
    first, second = design_sequence(n_candidates, budget).T
    names = rng.permutation(n_candidates)
    low, high = names[first], names[second]
    coins = rng.random((n_candidates, n_candidates)) < 0.5
    swap = coins[first, second] ^ is_repeat(first * n_candidates + second)  # a repeated pair has the other order
    return OrderedPairs(np.where(swap, high, low), np.where(swap, low, high))


_CHOOSERS: Mapping[str, Callable[[int, int, np.random.Generator], OrderedPairs]] = MappingProxyType(
    {"random": _random, "no-repeat": _no_repeat, "symmetric": _symmetric, "d-optimal": _d_optimal}
)
_WITHOUT_BUDGET: Mapping[str, Callable[[int], OrderedPairs]] = MappingProxyType(
    {
        "full": lambda n: OrderedPairs(*np.nonzero(~np.eye(n, dtype=bool))),
        "as-given": lambda n: OrderedPairs(*np.triu_indices(n, 1)),
    }
)
_ONE_ORDER = ("as-given", "no-repeat")
ANCHOR = "anchor"
"""The selection that compares every candidate with one system. It needs the candidates' systems."""
ALL_PAIRS = tuple(_WITHOUT_BUDGET)
"""Selections that take no budget."""
SELECTIONS = (*ALL_PAIRS, *_CHOOSERS)


def _random_tree(n_candidates: int, most: int, rng: np.random.Generator) -> OrderedPairs:
    """Return at most `most` edges of a random spanning tree; each candidate joins a random earlier one."""
    names = rng.permutation(n_candidates)
    later = np.arange(1, min(n_candidates, most + 1))
    return OrderedPairs(names[rng.integers(0, later)], names[later])


def _random_unordered(n_candidates: int, budget: int, rng: np.random.Generator) -> OrderedPairs:
    """Draw a random tree and further random pairs, none in both orders."""
    tree = _random_tree(n_candidates, budget, rng)
    unused = np.triu(np.ones((n_candidates, n_candidates), dtype=bool), 1)
    unused[np.minimum(tree.first, tree.second), np.maximum(tree.first, tree.second)] = False
    return _filled_up(tree, unused, budget, rng)


def _filled_up(tree: OrderedPairs, unused: BoolArray, budget: int, rng: np.random.Generator) -> OrderedPairs:
    """Add random unused pairs until the budget is reached."""
    first, second = np.nonzero(unused)
    chosen = rng.permutation(len(first))[: budget - len(tree)]
    return OrderedPairs(np.concatenate([tree.first, first[chosen]]), np.concatenate([tree.second, second[chosen]]))


def _turned_at_random(pairs: OrderedPairs, rng: np.random.Generator) -> OrderedPairs:
    """Reverse each pair with probability 1/2."""
    swap = rng.random(len(pairs)) < 0.5
    return OrderedPairs(np.where(swap, pairs.second, pairs.first), np.where(swap, pairs.first, pairs.second))


def is_repeat(keys: IntArray) -> BoolArray:
    """Return True for keys that occurred before, (n,)."""
    repeats = np.ones(len(keys), dtype=bool)
    repeats[np.unique(keys, return_index=True)[1]] = False
    return repeats
