"""Laplacian systems of many small graphs at once, by eliminating one candidate after the other.

The graphs lie along the last axis, so each numpy call works on all of them. Weights stand in the order of
`np.triu_indices(size, 1)`, so that those of one lower candidate lie together. Taking a candidate out of a graph joins
its neighbours by new edges: only sums and products of weights, none negative, so nothing cancels and single precision
goes far.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import isqrt

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Elimination:
    """A graph taken apart, ready to solve systems of its Laplacian.

    shares: float, (n_pairs, n_graphs). What part of the lower candidate's weight was to the higher one.
    pivots: float, (size - 1, n_graphs). The weight of each candidate when it was taken out; 1 where it had none.
    """

    shares: FloatArray
    pivots: FloatArray

    def of(self, some: BoolArray) -> "Elimination":
        """The same of some of the graphs."""
        return Elimination(self.shares[:, some], self.pivots[:, some])


@lru_cache(maxsize=64)
def pair_rows(size: int) -> tuple[slice, ...]:
    """Where the pairs of each lower candidate lie."""
    lengths = np.arange(size - 1, 0, -1)
    ends = np.cumsum(lengths)
    return tuple(slice(int(end - length), int(end)) for length, end in zip(lengths, ends, strict=True))


def eliminate(weights: FloatArray) -> Elimination:
    """weights: float, (n_pairs, n_graphs), none negative; used up."""
    rows = pair_rows(size_of(len(weights)))
    pivots = np.empty((len(rows), weights.shape[1]), dtype=weights.dtype)
    product = np.empty((len(rows), weights.shape[1]), dtype=weights.dtype)
    for candidate, row in enumerate(rows):
        own = weights[row]
        pivot = own.sum(axis=0)
        pivots[candidate] = np.where(pivot > 0, pivot, 1)
        shares = own / pivots[candidate]
        for place, other in enumerate(rows[candidate + 1 :]):
            rest = product[: len(own) - place - 1]
            np.multiply(own[place + 1 :], shares[place], out=rest)
            weights[other] += rest
        weights[row] = shares
    return Elimination(weights, pivots)


def solve(elimination: Elimination, right: FloatArray) -> FloatArray:
    """The solution for right sides that add up to 0, (size, n_graphs), with mean zero; right is used up."""
    rows = pair_rows(len(right))
    for candidate, row in enumerate(rows):
        right[candidate + 1 :] += elimination.shares[row] * right[candidate]
    right[:-1] /= elimination.pivots
    right[-1] = 0
    for candidate in range(len(rows) - 1, -1, -1):
        right[candidate] += (elimination.shares[rows[candidate]] * right[candidate + 1 :]).sum(axis=0)
    right -= right.mean(axis=0)
    return right


def size_of(n_pairs: int) -> int:
    """How many candidates have so many pairs."""
    return (1 + isqrt(1 + 8 * n_pairs)) // 2
