"""Good linear orderings of very many small problems at once, for curves. The problems lie along the last axis.

In each round every problem makes the insertion that gains most, until none gains. Gains are whole numbers, so that
equally good insertions stay equal.
"""

from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.fitting.running_tallies import pair_numbers
from evenhand.numerics.pairs import number_in_pairs, pair_rows

_LARGEST = np.iinfo(np.int32).max
_MOST_ROUNDS = 1_000
_CHUNK_CELLS = 1 << 18


@lru_cache(maxsize=64)
def _insertions(size: int) -> IntArray:
    """Return each insertion as a permutation of positions, (2 n_pairs, size).

    The first half moves a candidate from the upper position of a pair down to the lower one, the second half up.
    """
    insertions = []
    for turn in (-1, 1):
        for upper, lower in zip(*np.triu_indices(size, 1), strict=True):
            positions = np.arange(size)
            positions[upper : lower + 1] = np.roll(positions[upper : lower + 1], turn)
            insertions.append(positions)
    return np.array(insertions, dtype=np.intp)


def improved_orders(net: FloatArray, start: IntArray | None) -> IntArray:
    """Return orders that no insertion improves, best candidate first, (size, n_problems).

    net: float, (n_pairs, n_problems), in the order of `np.triu_indices`. Gain of the lower-numbered candidate above the
    other. start: int, (size, n_problems). Initial orders; default: by the row sums, and equal
    sums at random.
    """
    units = _units(net)
    orders = np.empty((number_in_pairs(len(net)), net.shape[1]), dtype=np.intp) if start is None else start.copy()
    width = max(1, _CHUNK_CELLS // max(1, len(net)))
    for first in range(0, net.shape[1], width):
        part = slice(first, first + width)
        table = _table(net[:, part], units)
        if start is None:
            sums = table.sum(axis=1)
            orders[:, part] = np.lexsort((np.random.default_rng(0).random(sums.shape), -sums), axis=0)
        _improve(table, orders[:, part])
    return orders


def _improve(table: NDArray[np.int32], orders: IntArray) -> None:
    """Make insertions until none gains. The orders are changed in place."""
    insertions = _insertions(len(orders))
    unfinished, current = np.arange(orders.shape[1]), orders
    for _ in range(_MOST_ROUNDS):
        gains, numbers = _best_insertions(table, unfinished, current)
        gaining = gains > 0
        if not gaining.any():
            break
        unfinished = unfinished[gaining]
        current = np.take_along_axis(current[:, gaining], insertions[numbers[gaining]].T, axis=0)
        orders[:, unfinished] = current


def _units(net: FloatArray) -> float:
    """Return how many whole units stand for a gain of 1: the most with which the sums of `_best_insertions` fit."""
    largest, codes = max(float(net.max(initial=1.0)), -float(net.min(initial=-1.0))), 2 * len(net)
    return float(2.0 ** np.floor(np.log2(_LARGEST / (largest * number_in_pairs(len(net)) * codes + codes))))


def _table(net: FloatArray, units: float) -> NDArray[np.int32]:
    """Return the gain of each candidate above each other, (size, size, n_problems), in units times 2 n_pairs."""
    size = number_in_pairs(len(net))
    table = np.empty((size, size, net.shape[1]), np.int32)
    table[np.arange(size), np.arange(size)] = 0
    for candidate, row in enumerate(pair_rows(size)):
        whole = np.rint(net[row] * units).astype(np.int32)
        np.multiply(whole, 2 * len(net), out=table[candidate, candidate + 1 :])
        np.negative(table[candidate, candidate + 1 :], out=table[candidate + 1 :, candidate])
    return table


@lru_cache(maxsize=64)
def _by_distance(size: int) -> tuple[tuple[slice, ...], NDArray[np.int32]]:
    """List the pairs of positions by distance, the nearest first, and within a distance from the top down.

    Returns the part of the list with each distance, and the insertions of each pair, down and up, (2, n_pairs).
    """
    ends = np.cumsum(np.arange(size - 1, 0, -1))
    lengths = range(size - 1, 0, -1)
    numbers = np.concatenate([pair_numbers(size).diagonal(distance) for distance in range(1, size)])
    both = np.stack([numbers, numbers + len(numbers)]).astype(np.int32)
    return tuple(slice(int(end) - length, int(end)) for end, length in zip(ends, lengths, strict=True)), both


def _best_insertions(
    table: NDArray[np.int32], problems: IntArray, orders: IntArray
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the gain of the best insertion of each problem, and its number, both (n_problems,).

    One integer holds the loss and the number of an insertion, so that one minimum finds both.
    """
    size = len(orders)
    rows, numbers = _by_distance(size)
    losses = np.empty((*numbers.shape, len(problems)), np.int32)
    down, up = losses
    flat, columns = table.reshape(-1), orders * table.shape[2] + problems
    above = orders * (size * table.shape[2])
    for distance, row in enumerate(rows, start=1):
        np.take(flat, above[:-distance] + columns[distance:], out=up[row], mode="clip")  # other modes are slower
    down[rows[0]] = up[rows[0]]
    for nearer, row in pairwise(rows):
        np.add(down[nearer][:-1], up[row], out=down[row])  # past all positions down to the pair's lower one
        up[row] += up[nearer][1:]  # past all positions up to the pair's upper one
    losses += numbers[:, :, None]
    least = losses.reshape(-1, len(problems)).min(axis=0)
    return -(least // numbers.size), least % numbers.size
