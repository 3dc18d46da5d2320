"""Ranks within groups of scores. Equal scores share their mean rank."""

from collections.abc import Iterator

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.scores import Scores, rounded

_LONGEST_COMPARED = 48
_CHUNK_ELEMENTS = 1 << 20


def average_ranks(values: FloatArray) -> FloatArray:
    """Rank values along the last axis, 1 for the lowest; equal values share their mean rank. values: float, (…, n)."""
    n = values.shape[-1]
    rows = values.reshape(-1, n)
    ranks = np.empty(rows.shape)
    width = max(1, _CHUNK_ELEMENTS // max(1, n * min(n, _LONGEST_COMPARED)))
    rank = _ranks_by_comparing if n <= _LONGEST_COMPARED else _ranks_by_sorting
    for at in range(0, len(rows), width):
        ranks[at : at + width] = rank(rows[at : at + width])
    return ranks.reshape(values.shape)


def rank_within_contexts(scores: Scores, contexts: IntArray) -> FloatArray:
    """Rank candidates within their contexts, (n_candidates,): 1 is best; NaN for candidates without a score.

    contexts: int, (n_candidates,).
    """
    ranks = np.full(len(contexts), np.nan)
    for members in groups_of_equal_size(contexts, scores.defined):
        ranks[members] = average_ranks(-rounded(scores.values[members]))
    return ranks


def groups_of_equal_size(contexts: IntArray, chosen: BoolArray) -> Iterator[IntArray]:
    """Yield the chosen candidates of contexts that have equally many of them: int, (n_contexts, size).

    contexts: int, (n_candidates,), rising. chosen: bool, (n_candidates,).
    """
    members = np.flatnonzero(chosen)
    sizes = np.bincount(contexts[members])
    size_of_member = sizes[contexts[members]]
    for size in np.unique(sizes[sizes > 0]):
        yield members[size_of_member == size].reshape(-1, size)


def _ranks_by_comparing(rows: FloatArray) -> FloatArray:
    columns = np.ascontiguousarray(rows.T)  # (n, n_rows): operations on long arrays are faster
    lower = columns[None] < columns[:, None]  # (n, n, n_rows)
    at_most = columns[None] <= columns[:, None]
    below, not_above = (pairs.view(np.int8).sum(axis=1, dtype=np.int8) for pairs in (lower, at_most))
    return (below.T + not_above.T + 1) / 2


def _ranks_by_sorting(rows: FloatArray) -> FloatArray:
    n_rows, n = rows.shape
    order = np.argsort(rows, axis=1)  # equal values need no order of their own
    ordered = np.take_along_axis(rows, order, axis=1)
    new = np.ones((n_rows, n), dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    run = np.cumsum(new.ravel()) - 1  # runs of equal values; no run crosses rows
    starts = np.flatnonzero(new.ravel())
    lengths = np.diff(starts, append=n_rows * n)
    mean_rank = starts % n + (lengths + 1) / 2
    ranks = np.empty((n_rows, n))
    np.put_along_axis(ranks, order, mean_rank[run].reshape(n_rows, n), axis=1)
    return ranks
