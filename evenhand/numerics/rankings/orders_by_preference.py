"""Relations of candidates by their preferences alone, for very many small problems at once.

Candidates whose preferences form a circle are one component. The problems lie along the last axis. A set of candidates
is a whole number with one bit for each member.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.pairs import number_in_pairs, pair_rows
from evenhand.numerics.scores import DECIMALS

_SETS = ((16, np.uint16), (32, np.uint32), (64, np.uint64))
"""The most candidates that fit into a set of each type."""
LARGEST_AS_BITS = _SETS[-1][0]
_LEAST = 0.5 * 10.0**-DECIMALS
"""Least gain of a preference. `likelihood` rounds smaller gains to a tie."""


class Relations(NamedTuple):
    """Relations of each candidate to the others by preferences, all (size, n_problems).

    ranks: the number of the candidate's component, the lowest for the best: `above` times the size, and its lowest
    candidate. above, below: number of candidates of other components that stand above and below it in every order that
    keeps the preferences.
    """

    ranks: IntArray
    above: IntArray
    below: IntArray

    @classmethod
    def of(cls, net: FloatArray) -> "Relations":
        """Read the preferences of problems with at most 64 candidates.

        net: float, (n_pairs, n_problems), in the order of `np.triu_indices`. Gain of the lower-numbered candidate above
        the other.
        """
        above = _above(net)
        below = _below(above)
        inside = above & below | _bits(len(above))
        lowest = np.frexp((inside & (~inside + above.dtype.type(1))).astype(np.float64))[1] - 1
        n_above, n_below = (np.bitwise_count(sets & ~inside).astype(np.intp) for sets in (above, below))
        return cls(n_above * len(above) + lowest, n_above, n_below)

    @classmethod
    def of_large(cls, net: FloatArray) -> "Relations":
        """Read the preferences of one problem of any size. net: float, (size, size). Gain of i above j."""
        packed = np.packbits(net.T > 0, axis=1)
        for candidate in range(len(net)):
            packed[(packed[:, candidate // 8] << candidate % 8 & 0x80) > 0] |= packed[candidate]
        above = np.unpackbits(packed, axis=1, count=len(net)).astype(bool)
        inside = above & above.T | np.eye(len(net), dtype=bool)
        n_above, n_below = ((sets & ~inside).sum(axis=1)[:, None] for sets in (above, above.T))
        return cls(n_above * len(net) + inside.argmax(axis=1)[:, None], n_above, n_below)


def sorted_by_component(orders: IntArray, relations: Relations) -> IntArray:
    """Return the orders sorted by component. Candidates of one component keep their sequence.

    orders: int, (size, n_problems), best candidate first.
    """
    ranks = np.take_along_axis(relations.ranks, orders, axis=0)
    unsorted = (ranks[1:] < ranks[:-1]).any(axis=0)
    by_rank = np.argsort(ranks[:, unsorted], axis=0, kind="stable")
    ordered = orders.copy()
    ordered[:, unsorted] = np.take_along_axis(orders[:, unsorted], by_rank, axis=0)
    return ordered


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


def _below(above: NDArray[Any]) -> NDArray[Any]:
    """Return the set of candidates that each one is above, (size, n_problems)."""
    bits = _bits(len(above))
    below = np.zeros_like(above)
    for candidate, bit in enumerate(bits):
        below |= ((above[candidate] & bits) != 0) * bit
    return below


def _holds(sets: NDArray[Any], candidate: int) -> NDArray[Any]:
    """Return 1 where a set holds the candidate, else 0."""
    return sets >> sets.dtype.type(candidate) & sets.dtype.type(1)
