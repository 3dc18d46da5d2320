"""Ranks of candidates by preferences alone, for very many small problems at once, for curves.

Candidates whose preferences form a circle are one component. Components rank as in `likelihood`: by the length of the
longest path of components to them, then by their lowest numbers. The problems lie along the last axis. A set of
candidates is a whole number with one bit for each member.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.pairs import number_in_pairs, pair_rows
from evenhand.numerics.scores import DECIMALS

_SETS = ((16, np.uint16), (32, np.uint32), (64, np.uint64))
"""The most candidates that fit into a set of each type."""
_LEAST = 0.5 * 10.0**-DECIMALS
"""Least gain of a preference. `likelihood` rounds smaller gains to a tie."""


def sorted_by_component(orders: IntArray, of_candidates: NDArray[np.int16]) -> IntArray:
    """Return the orders sorted by component. Candidates of one component keep their sequence.

    orders: int, (size, n_problems), best candidate first. of_candidates: from `component_ranks`.
    """
    ranks = np.take_along_axis(of_candidates, orders, axis=0)
    unsorted = (ranks[1:] < ranks[:-1]).any(axis=0)
    by_rank = np.argsort(ranks[:, unsorted], axis=0, kind="stable")
    ordered = orders.copy()
    ordered[:, unsorted] = np.take_along_axis(orders[:, unsorted], by_rank, axis=0)
    return ordered


def component_ranks(net: FloatArray) -> NDArray[np.int16]:
    """Return a number for each candidate's component, the lowest for the best, (size, n_problems); size at most 64.

    It is the component's level times the size, and its lowest candidate. net: float, (n_pairs, n_problems), in the
    order of `np.triu_indices`. Gain of the lower-numbered candidate above the other.
    """
    above = _above(net)
    components = _components(above)
    levels = _levels(above & ~components)
    lowest = np.frexp((components & (~components + above.dtype.type(1))).astype(np.float64))[1] - 1
    return levels * np.int16(len(above)) + lowest.astype(np.int16)


def _bits(size: int) -> NDArray[Any]:
    """Return the set that holds each candidate alone, (size, 1)."""
    dtype: type[np.unsignedinteger[Any]] = next(dtype for most, dtype in _SETS if size <= most)
    return np.left_shift(np.ones(size, dtype), np.arange(size, dtype=dtype))[:, None]


def _above(net: FloatArray) -> NDArray[Any]:
    """Return the set of candidates from which a path of preferences leads to each, (size, n_problems)."""
    bits = _bits(number_in_pairs(len(net)))
    above = np.zeros((len(bits), net.shape[1]), bits.dtype)
    for candidate, row in enumerate(pair_rows(len(bits))):
        above[candidate + 1 :] |= (net[row] > _LEAST) * bits[candidate]
        above[candidate] |= np.bitwise_or.reduce((net[row] < -_LEAST) * bits[candidate + 1 :], axis=0)
    for candidate in range(len(bits)):
        above |= _holds(above, candidate) * above[candidate]
    return above


def _components(above: NDArray[Any]) -> NDArray[Any]:
    """Return the component of each candidate: itself, and all that are above it and below it, (size, n_problems)."""
    bits = _bits(len(above))
    below = np.zeros_like(above)
    for candidate, bit in enumerate(bits):
        below |= ((above[candidate] & bits) != 0) * bit
    return above & below | bits


def _levels(above: NDArray[Any]) -> NDArray[np.int16]:
    """Return the length of the longest path of components to each candidate's, (size, n_problems).

    above: the set of candidates above each one, without its own component.
    """
    bits = _bits(len(above))
    levels, unplaced = np.zeros(above.shape, np.int16), ~np.zeros(above.shape[1], above.dtype)
    while (waiting := (above & unplaced) != 0).any():
        levels += waiting
        unplaced = np.bitwise_or.reduce(waiting * bits, axis=0)
    return levels


def _holds(sets: NDArray[Any], candidate: int) -> NDArray[Any]:
    """Return 1 where a set holds the candidate, else 0."""
    return sets >> sets.dtype.type(candidate) & sets.dtype.type(1)
