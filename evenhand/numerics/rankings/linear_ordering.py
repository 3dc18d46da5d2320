"""The linear ordering problem: the order that maximises the sum of net[i, j] over all i that stand above j."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class _Layer:
    """All sets of one size. A set is a number with one bit for each member.

    sets: int, (n_sets,). rests: int, (size, n_sets). Each set without one of its members.
    cells: int, (size, n_sets). Index of the set and that member in a flattened array (2^n, n).
    """

    sets: IntArray
    rests: IntArray
    cells: IntArray


def best_order(net: FloatArray) -> IntArray:
    """Return the best order, best first, (n,), by dynamic programming over all subsets [Lawler1964]; n up to about 20.

    net: float, (n, n), antisymmetric. Gain of i above j.
    """
    n = len(net)
    below = _gains_below(net)
    flat = below.ravel()
    best = np.zeros(1 << n)  # the largest gain within each set
    for layer in _layers(n):
        totals = best.take(layer.rests)
        totals += flat.take(layer.cells)
        best[layer.sets] = totals.max(axis=0)
    return _trace_back(best, below)


def _gains_below(net: FloatArray) -> FloatArray:
    """Return the gain of i directly below the other members of each set, (2^n, n)."""
    n = len(net)
    gains = np.zeros((1 << n, n))
    for bit in range(n):
        np.add(gains[: 1 << bit], net[bit], out=gains[1 << bit : 2 << bit])
    return gains


@lru_cache(maxsize=20)
def _layers(n: int) -> tuple[_Layer, ...]:
    members = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1  # (2^n, n)
    sizes = members.sum(axis=1)
    layers = []
    for size in range(1, n + 1):
        sets = np.flatnonzero(sizes == size)
        items = np.ascontiguousarray(np.nonzero(members[sets])[1].reshape(-1, size).T)
        layers.append(_Layer(sets, rests=sets ^ (1 << items), cells=sets * n + items))
    return tuple(layers)


def _trace_back(best: FloatArray, below: FloatArray) -> IntArray:
    """Read the best order of all candidates from the last to the first, (n,)."""
    n = below.shape[1]
    order = np.empty(n, dtype=np.intp)
    members = (1 << n) - 1
    for position in range(n - 1, -1, -1):
        items = np.flatnonzero((members >> np.arange(n)) & 1)
        totals = best[members ^ (1 << items)] + below[members, items]
        last = int(items[totals.argmax()])
        order[position] = last
        members ^= 1 << last
    return order
