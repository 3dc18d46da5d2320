"""Contexts with equally many compared candidates, fitted together as one stack of small problems."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons


@dataclass(frozen=True, eq=False)
class ContextBatch:
    """Some contexts in which equally many candidates, `size` of them, were compared.

    candidates: int, (n_contexts, size). Number of each candidate in the comparisons.
    members: int, (n,). Index of each comparison of the batch.
    rows: int, (n,). Context of each comparison, numbered within the batch.
    first, second: int, (n,). The pair, numbered within its context from 0 to size - 1.
    """

    candidates: IntArray
    members: IntArray
    rows: IntArray
    first: IntArray
    second: IntArray

    @property
    def n_contexts(self) -> int:
        return self.candidates.shape[0]

    @property
    def size(self) -> int:
        return self.candidates.shape[1]

    def totals(self, weights: FloatArray | None = None) -> FloatArray:
        """Return the sum of weights, (n,), of each ordered pair, (n_contexts, size, size); default: its count."""
        shape = (self.n_contexts, self.size, self.size)
        return np.bincount(self._cells, weights, int(np.prod(shape))).reshape(shape).astype(np.float64, copy=False)

    @cached_property
    def _cells(self) -> IntArray:
        """Index of each comparison's ordered pair in a flattened (n_contexts, size, size), (n,)."""
        return (self.rows * self.size + self.first) * self.size + self.second

    def part(self, start: int, stop: int) -> "ContextBatch":
        """Return contexts start to stop - 1 as a batch."""
        if (start, stop) == (0, self.n_contexts):
            return self
        chosen = (self.rows >= start) & (self.rows < stop)
        rows = self.rows[chosen] - start
        return ContextBatch(
            self.candidates[start:stop], self.members[chosen], rows, self.first[chosen], self.second[chosen]
        )

    def lengths(self) -> IntArray:
        """Return the number of comparisons of each context, (n_contexts,)."""
        return np.bincount(self.rows, minlength=self.n_contexts)


def joined(parts: Sequence[ContextBatch]) -> ContextBatch:
    """Join batches with equally many compared candidates."""
    rows = np.cumsum([0, *(part.n_contexts for part in parts)])
    return ContextBatch(
        np.concatenate([part.candidates for part in parts]),
        np.concatenate([part.members for part in parts]),
        np.concatenate([part.rows + row for part, row in zip(parts, rows[:-1], strict=True)]),
        np.concatenate([part.first for part in parts]),
        np.concatenate([part.second for part in parts]),
    )


def batches(comparisons: Comparisons, wanted: BoolArray | None = None) -> list[ContextBatch]:
    """Return the wanted contexts that have comparisons, by their number of compared candidates, the smallest first.

    wanted: bool, (n_contexts,). Default: all. Callers must not modify the list.
    """
    chosen = np.ones(comparisons.n_contexts, dtype=bool) if wanted is None else wanted
    return comparisons.of_pairs(("batches", chosen.tobytes()), lambda: list(_batches(comparisons, chosen)))


def _batches(comparisons: Comparisons, wanted: BoolArray) -> Iterator[ContextBatch]:
    compared = comparisons.compared
    candidate_contexts = comparisons.candidate_contexts
    sizes = np.bincount(candidate_contexts[compared], minlength=comparisons.n_contexts)
    local = np.cumsum(compared) - 1 - (np.cumsum(sizes) - sizes)[candidate_contexts]  # within each context, from 0
    contexts = comparisons.contexts
    for size in np.unique(sizes[wanted & (sizes > 0)]):
        chosen = wanted & (sizes == size)
        row = np.cumsum(chosen) - 1
        members = np.flatnonzero(chosen[contexts])
        yield ContextBatch(
            candidates=np.flatnonzero(compared & chosen[candidate_contexts]).reshape(-1, size),
            members=members,
            rows=row[contexts[members]],
            first=local[comparisons.first[members]],
            second=local[comparisons.second[members]],
        )


def connected_contexts(comparisons: Comparisons) -> BoolArray:
    """Return True for contexts whose comparisons connect all their compared candidates, (n_contexts,)."""
    return comparisons.of_pairs("connected_contexts", lambda: _connected_contexts(comparisons))


def _connected_contexts(comparisons: Comparisons) -> BoolArray:
    n = comparisons.n_candidates
    if not len(comparisons):
        return np.zeros(comparisons.n_contexts, dtype=bool)
    graph = coo_array((np.ones(len(comparisons)), (comparisons.first, comparisons.second)), shape=(n, n))
    return _of_one_group(comparisons, connected_components(graph, directed=False)[1])


def connected_groups(comparisons: Comparisons, context: int) -> list[list[int]]:
    """Return the groups of compared candidates of a context that no comparison connects."""
    chosen = comparisons.select(comparisons.contexts == context)
    n = chosen.n_candidates
    graph = coo_array((np.ones(len(chosen)), (chosen.first, chosen.second)), shape=(n, n))
    groups = connected_components(graph, directed=False)[1]
    members = np.flatnonzero(chosen.played)
    return [members[groups[members] == group].tolist() for group in dict.fromkeys(groups[members].tolist())]


def bounded_contexts(comparisons: Comparisons) -> BoolArray:
    """Return True for contexts in which every group of candidates loses at least part of a comparison with others.

    Shape (n_contexts,). Other contexts have no maximum-likelihood scores. False for contexts that are not connected.
    """
    n, won, lost = comparisons.n_candidates, comparisons.p_first > 0, comparisons.p_first < 1
    if won.all() and lost.all():
        return connected_contexts(comparisons)
    winners = np.concatenate([comparisons.first[won], comparisons.second[lost]])
    losers = np.concatenate([comparisons.second[won], comparisons.first[lost]])
    graph = coo_array((np.ones(len(winners)), (winners, losers)), shape=(n, n))
    return _of_one_group(comparisons, connected_components(graph, connection="strong")[1])


def _of_one_group(comparisons: Comparisons, groups: IntArray) -> BoolArray:
    """Return True for contexts whose compared candidates form one group, (n_contexts,); False if none is compared."""
    compared = np.flatnonzero(comparisons.compared)
    one_per_group = compared[np.unique(groups[compared], return_index=True)[1]]
    n_groups = np.bincount(comparisons.candidate_contexts[one_per_group], minlength=comparisons.n_contexts)
    return n_groups == 1
