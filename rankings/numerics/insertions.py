"""Good linear orderings of very many small problems at once, for curves; the problems lie along the last axis.

In each round every problem makes the one insertion that gains most, until none gains. What is gained is counted in
whole numbers, so that equal orders stay equal.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rankings.numerics.arrays import FloatArray, IntArray
from rankings.numerics.eliminations import pair_rows, size_of

_LARGEST = np.iinfo(np.int32).max
_MOST_ROUNDS = 1_000


@lru_cache(maxsize=64)
def _insertions(size: int) -> IntArray:
    """Which place is read at each place after an insertion, (2 n_pairs, size).

    The first half takes a candidate down, from the lower place of a pair to the higher; the second half up.
    """
    moved = []
    for turn in (-1, 1):
        for low, high in zip(*np.triu_indices(size, 1), strict=True):
            places = np.arange(size)
            places[low : high + 1] = np.roll(places[low : high + 1], turn)
            moved.append(places)
    return np.array(moved, dtype=np.intp)


def improved_orders(net: FloatArray, start: IntArray | None) -> IntArray:
    """Orders that no insertion improves, best candidate first, (size, n_problems).

    net: float, (n_pairs, n_problems), in the order of `np.triu_indices`: what is gained by the lower-numbered candidate
    above the other. start: int, (size, n_problems). Where to begin; left out, the order of the row sums.
    """
    table = _table(_whole(net))
    orders = np.argsort(-table.sum(axis=1), axis=0, kind="stable") if start is None else start.copy()
    moves = _insertions(len(orders))
    left, current = np.arange(orders.shape[1]), orders
    for _ in range(_MOST_ROUNDS):
        gains, numbers = _best_insertions(table, left, current)
        moving = gains > 0
        if not moving.any():
            break
        left = left[moving]
        current = np.take_along_axis(current[:, moving], moves[numbers[moving]].T, axis=0)
        orders[:, left] = current
    return orders


def scores_of_orders(orders: IntArray) -> FloatArray:
    """Minus the position of each candidate, the best at -1, (size, n_problems)."""
    scores = np.empty(orders.shape)
    np.put_along_axis(scores, orders, -np.arange(1.0, len(orders) + 1)[:, None], axis=0)
    return scores


def _whole(net: FloatArray) -> NDArray[np.int32]:
    """The gains in whole units, so small that the largest code of `_best_insertions` just fits."""
    largest = max(float(np.abs(net).max(initial=0.0)), 1.0)
    units = _LARGEST / (largest * size_of(len(net)) * 2 * len(net) + 2 * len(net))
    return np.rint(net * 2.0 ** np.floor(np.log2(units))).astype(np.int32)


def _table(net: NDArray[np.int32]) -> NDArray[np.int32]:
    """What is gained by each candidate above each other, (size, size, n_problems)."""
    size = size_of(len(net))
    low, high = np.triu_indices(size, 1)
    table = np.zeros((size, size, net.shape[1]), dtype=np.int32)
    table[low, high] = net
    table[high, low] = -net
    return table


def _best_insertions(
    table: NDArray[np.int32], problems: IntArray, orders: IntArray
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """What the best insertion of each problem gains, and its number, both (n_problems,)."""
    size = len(orders)
    rows = pair_rows(size)
    n_pairs = rows[-1].stop
    losses = np.empty((2, n_pairs, len(problems)), dtype=np.int32)
    down, up = losses
    flat, columns = table.reshape(-1), orders * table.shape[2] + problems
    above = orders * (size * table.shape[2])
    for place, row in enumerate(rows):
        np.take(flat, columns[place + 1 :] + above[place], out=up[row], mode="clip")  # other modes are slower
        np.cumsum(up[row], axis=0, out=down[row])  # past all places down to the pair's higher one
    for place in range(size - 3, -1, -1):  # past all places up to the pair's lower one
        up[rows[place]][1:] += up[rows[place + 1]]
    coded = losses.reshape(2 * n_pairs, len(problems))
    coded *= 2 * n_pairs
    coded += np.arange(2 * n_pairs, dtype=np.int32)[:, None]
    least = coded.min(axis=0)
    return -(least // (2 * n_pairs)), least % (2 * n_pairs)
