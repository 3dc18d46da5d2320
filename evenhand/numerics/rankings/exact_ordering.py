"""Exact solutions of many small linear ordering problems at once, without a look at most sets of candidates.

The search adds candidates to the bottom of an order, best first, and keeps the best order of each set [Lawler1964].
Unlike `linear_ordering`, it drops sets that cannot be the top of a best order. Such a set has already lost more than a
good order loses in total, or its last candidate would gain by a move to the very top or the very bottom. The bounds
keep the sets of all equally good orders. Gains are whole numbers of the last decimal, so their sums are exact, and both
choose the same one of equally good orders.
"""

from typing import NamedTuple

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.rankings.linear_ordering import best_order, improved_positions
from evenhand.numerics.scores import rounded_units

_MOST_SETS = 400
"""A problem with more sets of one size than this is left to the full search."""
_PROBLEMS_AT_ONCE = 512


class _Problems(NamedTuple):
    """Gains and losses of i above j, both (n_problems, n, n), and an upper bound of the loss of a best order.

    over_all: float, (n_problems, n). Gain of each candidate above all others.
    """

    gains: FloatArray
    losses: FloatArray
    limits: FloatArray
    over_all: FloatArray


class _Layer(NamedTuple):
    """Sets of the same size. Each belongs to one problem and may be the top of its best order.

    problems: int, (n_sets,). members: bool, (n_sets, n). The candidates of each set.
    keys: int, (n_sets,). The problem and the candidates in one number, with one bit for each candidate.
    gained: float, (n_sets,). Gain within the best order of the set.
    below: float, (n_sets, n). Gain of each candidate directly below the set.
    lost: float, (n_sets,). Loss within that order, and of the set above all other candidates.
    to_lose: float, (n_sets, n). Further loss if a candidate is put directly below the set and above the rest.
    last: int, (n_sets,). The last candidate of the best order; -1 for an initial set.
    parents: int, (n_sets,). Index in the previous layer of the set without that candidate; -1 for an initial set.
    """

    problems: IntArray
    members: BoolArray
    keys: IntArray
    gained: FloatArray
    below: FloatArray
    lost: FloatArray
    to_lose: FloatArray
    last: IntArray
    parents: IntArray


def best_orders(nets: FloatArray, sizes: IntArray) -> IntArray:
    """Return the order that `best_order` returns for each problem, best first, (n_problems, n); -1 beyond its size.

    nets: float, (n_problems, n, n), antisymmetric. Gain of i above j; 0 beyond a problem's size. Rounded to DECIMALS.
    sizes: int, (n_problems,). Number of candidates of each problem, from 1 to about 20.
    """
    nets = rounded_units(nets)
    orders = np.full(nets.shape[:2], -1)
    for start in range(0, len(nets), _PROBLEMS_AT_ONCE):
        part = slice(start, start + _PROBLEMS_AT_ONCE)
        orders[part] = _pruned_orders(nets[part], sizes[part])
    for problem in np.flatnonzero(orders[:, 0] < 0).tolist():
        size = sizes[problem]
        orders[problem, :size] = best_order(nets[problem, :size, :size])
    return orders


def _pruned_orders(nets: FloatArray, sizes: IntArray) -> IntArray:
    """Return the best orders, (n_problems, n). A problem with too many sets in a layer has -1 everywhere."""
    n = nets.shape[1]
    losses = np.maximum(-nets, 0.0)
    positions = improved_positions(nets, most_sweeps=1)  # a closer bound would save less than it takes
    lost = np.where(positions[:, :, None] < positions[:, None, :], losses, 0.0).sum(axis=(1, 2))
    problems = _Problems(nets, losses, lost, nets.sum(axis=2))
    layer, steps = _initial_sets(problems, sizes, n), []
    for size in range(n - 1, -1, -1):
        layer = _without_large_problems(_grown(problems, layer))
        if (sizes == size).any():
            layers = layer, _initial_sets(problems, sizes, size)
            layer = _Layer._make(map(np.concatenate, zip(*layers, strict=True)))
        steps.append((layer.last, layer.parents))
    return _trace_back(layer.problems, steps, sizes)


def _initial_sets(problems: _Problems, sizes: IntArray, size: int) -> _Layer:
    """Return the first set of each problem of this size: all candidate numbers beyond the size."""
    chosen = np.flatnonzero(sizes == size)
    n = problems.gains.shape[1]
    zeros, none = np.zeros((len(chosen), n)), np.full(len(chosen), -1)
    members = np.broadcast_to(np.arange(n) >= size, (len(chosen), n))
    keys = chosen << n | (1 << n) - (1 << size)
    return _Layer(
        chosen, members, keys, zeros[:, 0], zeros, zeros[:, 0], problems.losses[chosen].sum(axis=2), none, none
    )


def _grown(problems: _Problems, layer: _Layer) -> _Layer:
    """Return the sets with one more candidate that may be the top of a best order."""
    parents, added = np.nonzero(_hopeful(problems, layer))
    keys, row = np.unique(layer.keys[parents] | 1 << added, return_inverse=True)
    gained = np.full((len(keys), layer.members.shape[1]), -np.inf)  # for each last candidate
    gained[row, added] = layer.gained[parents] + layer.below[parents, added]
    parent = np.empty(gained.shape, dtype=np.intp)
    parent[row, added] = parents
    last = gained.argmax(axis=1)
    return _extended(problems, layer, keys, parent[np.arange(len(last)), last], last, gained.max(axis=1))


def _hopeful(problems: _Problems, layer: _Layer) -> BoolArray:
    """Return True if a best order may continue a set with a candidate, (n_sets, n)."""
    over_rest = problems.over_all[layer.problems] + layer.below
    lost = layer.lost[:, None] + layer.to_lose
    within_limit = lost <= problems.limits[layer.problems, None]
    return ~layer.members & within_limit & (layer.below >= 0) & (over_rest >= 0)


def _extended(
    problems: _Problems, layer: _Layer, keys: IntArray, parents: IntArray, last: IntArray, gained: FloatArray
) -> _Layer:
    """Return the parent sets, each with one more candidate at the bottom."""
    problem = layer.problems[parents]
    return _Layer(
        problem,
        layer.members[parents] | (np.arange(layer.members.shape[1]) == last[:, None]),
        keys,
        gained,
        layer.below[parents] + problems.gains[problem, last],
        layer.lost[parents] + layer.to_lose[parents, last],
        layer.to_lose[parents] - problems.losses[problem, :, last],
        last,
        parents,
    )


def _without_large_problems(layer: _Layer) -> _Layer:
    """Drop problems with more than _MOST_SETS sets."""
    n_sets = np.bincount(layer.problems)
    if n_sets.max(initial=0) <= _MOST_SETS:
        return layer
    small = n_sets[layer.problems] <= _MOST_SETS
    return _Layer._make(values[small] for values in layer)


def _trace_back(problems: IntArray, steps: list[tuple[IntArray, IntArray]], sizes: IntArray) -> IntArray:
    """Read the best orders from the last candidate to the first, (n_problems, n); -1 for problems without a full set.

    problems: int, (n_sets,). The problem of each full set. steps: `last` and `parents` of each layer but the first.
    """
    orders = np.full((len(sizes), len(steps)), -1)
    sets = np.arange(len(problems))
    for from_bottom, (last, parents) in enumerate(reversed(steps), start=1):
        unfinished = parents[sets] >= 0
        problems, sets = problems[unfinished], sets[unfinished]
        orders[problems, sizes[problems] - from_bottom] = last[sets]
        sets = parents[sets]
    return orders
