"""Laplacian systems of many small graphs at once, by eliminating one candidate after the other.

The graphs lie along the last axis, so each numpy call works on all of them. Weights of pairs stand in the order of
`np.triu_indices(size, 1)`, so that those of one lower candidate lie together. Taking a candidate out of a graph joins
its neighbours by new edges. These are sums and products of weights, none negative, so nothing cancels.
"""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray
from evenhand.numerics.pairs import number_in_pairs, pair_rows

_LEAST = 1e-38
"""A candidate with less weight than this is not connected to those after it."""


@dataclass(frozen=True, slots=True, eq=False)
class Elimination:
    """A graph taken apart, ready to solve systems of its Laplacian.

    shares: float, (size, size, n_graphs). Above the diagonal: weight of the edge between row and column when the row
    was taken out. Below it: share of that edge in the weight of the column when the column was taken out.
    pivots: float, (size - 1, n_graphs). Total weight of each candidate when it was taken out; 1 where it had none.
    connected: bool, (n_graphs,). True if all had some.
    """

    shares: FloatArray
    pivots: FloatArray
    connected: BoolArray


def eliminate(weights: FloatArray) -> Elimination:
    """Take the graphs apart. weights: float, (n_pairs, n_graphs), none negative."""
    size = number_in_pairs(len(weights))
    graph = np.empty((size, size, weights.shape[1]))
    pivots = np.empty((size - 1, weights.shape[1]))
    for candidate, row in enumerate(pair_rows(size)):
        own = graph[candidate, candidate + 1 :]
        own[:] = weights[row]
        if candidate:  # edges that earlier candidates left: their weight to each, times their share to this one
            own += np.einsum("in,ijn->jn", graph[candidate, :candidate], graph[:candidate, candidate + 1 :])
        pivot = own.sum(axis=0, out=pivots[candidate])
        np.maximum(pivot, _LEAST, out=pivot)
        np.divide(own, pivot, out=graph[candidate + 1 :, candidate])
    connected: BoolArray = np.logical_and.reduce(pivots > _LEAST, axis=0)
    np.copyto(pivots, 1, where=pivots <= _LEAST)
    return Elimination(graph, pivots, connected)


def solve(elimination: Elimination, right: FloatArray) -> FloatArray:
    """Solve systems whose right sides add up to 0, (size, n_graphs). Returns `right`, overwritten, with mean zero."""
    shares, last = elimination.shares, len(right) - 1
    for candidate in range(1, last):
        right[candidate] += np.einsum("in,in->n", shares[candidate, :candidate], right[:candidate])
    right[:-1] /= elimination.pivots
    right[-1] = 0
    for candidate in range(last - 1, -1, -1):
        right[candidate] += np.einsum("in,in->n", shares[candidate + 1 :, candidate], right[candidate + 1 :])
    right -= right.mean(axis=0)
    return right


def resistances(elimination: Elimination) -> FloatArray:
    """Return the effective resistance of each pair of connected graphs, (n_pairs, n_graphs): A_ii + A_jj - 2 A_ij.

    A is the pseudo-inverse of the Laplacian. A candidate is connected to the later ones as if to one point between
    them, by a resistance of 1 / its weight. Its shares give the location of that point.
    """
    shares, pivots = elimination.shares, elimination.pivots
    size = len(shares)
    rows = pair_rows(size)
    table = np.zeros(shares.shape, dtype=shares.dtype)
    pairs = np.empty((size * (size - 1) // 2, shares.shape[2]), dtype=shares.dtype)
    for candidate in range(size - 2, -1, -1):
        share, after = shares[candidate + 1 :, candidate], slice(candidate + 1, None)
        means = np.einsum("in,ijn->jn", share, table[after, after])
        own = means + (1 / pivots[candidate] - np.einsum("in,in->n", share, means) / 2)
        table[candidate, after] = table[after, candidate] = pairs[rows[candidate]] = own
    return pairs
