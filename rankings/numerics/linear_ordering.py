"""The linear ordering problem: the order that maximises the sum of net[i, j] over all i that stand above j."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rankings.numerics.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class _Layer:
    """All sets of one size, and what each is without one of its members.

    sets: int, (n_sets,). items: int, (n_sets, size). The members. rests: the set without that member.
    cells: where a set and a member meet in a flattened array (2^n, n).
    """

    sets: IntArray
    items: IntArray
    rests: IntArray
    cells: IntArray


def best_order(net: FloatArray) -> IntArray:
    """The best order, best first, (n,), by dynamic programming over all subsets [Lawler1964]; n up to about 20.

    net: float, (n, n), antisymmetric: what is gained by i above j.
    """
    n = len(net)
    below = _gains_below(net).ravel()  # (2^n * n,)
    best = np.zeros(1 << n)
    last = np.zeros(1 << n, dtype=np.int8)
    for layer in _layers(n):
        totals = best[layer.rests] + below[layer.cells]  # (n_sets, size)
        choice = totals.argmax(axis=1)
        chosen = np.arange(len(choice)), choice
        best[layer.sets] = totals[chosen]
        last[layer.sets] = layer.items[chosen]
    return _trace_back(last, n)


def _gains_below(net: FloatArray) -> FloatArray:
    """What is gained by i directly below the other members of each set, (2^n, n)."""
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
        items = np.nonzero(members[sets])[1].reshape(-1, size)
        layers.append(_Layer(sets, items, rests=sets[:, None] ^ (1 << items), cells=sets[:, None] * n + items))
    return tuple(layers)


def _trace_back(last: np.ndarray[tuple[int], np.dtype[np.int8]], n: int) -> IntArray:
    order = np.empty(n, dtype=np.intp)
    left = (1 << n) - 1
    for position in range(n - 1, -1, -1):
        order[position] = last[left]
        left ^= 1 << int(last[left])
    return order
