"""Greedy D-optimal choice of pairs: each raises the determinant of an information matrix most.

For the Gaussian expert [Liusie2024b], the order starts with a chain through all candidates. Then the next pair always
has the largest effective resistance A_ii + A_jj - 2 A_ij, where A is the inverse of the anchored Laplacian of the pairs
so far. Answers are not used, so all contexts with equally many candidates share one sequence, and each budget is a
prefix of it.
"""

from functools import lru_cache

import numpy as np

from evenhand.numerics.arrays import TIE, BoolArray, FloatArray, IntArray, first_largest

_BLOCK = 48
_ROWS_AT_A_TIME = 16


def design_sequence(n_candidates: int, length: int) -> IntArray:
    """Return the first `length` unordered pairs of the greedy order, best to ask first: int, (length, 2).

    The lower number comes first. No pair occurs more than twice, so there are at most n_candidates (n_candidates - 1).
    """
    steps = -(-length // n_candidates) * n_candidates  # rounded up, so that similar lengths share a cached sequence
    return _sequence(n_candidates, min(steps, n_candidates * (n_candidates - 1)))[:length]


@lru_cache(maxsize=64)
def _sequence(n_candidates: int, length: int) -> IntArray:
    numbers = np.arange(1, n_candidates + 1, dtype=np.float64)
    search = GreedySearch(np.minimum(numbers[:, None], numbers), np.eye(n_candidates, dtype=bool))  # after the chain
    times = np.zeros((n_candidates, n_candidates), dtype=np.int8)
    pairs = [(at, at + 1) for at in range(min(length, n_candidates - 1))]
    for pair in pairs:
        times[pair] += 1
    while len(pairs) < length:
        pair = search.best()
        search.add(*pair)
        pairs.append(pair)
        times[pair] += 1
        if times[pair] == 2:
            search.close(*pair)
    return np.array(pairs, dtype=np.intp).reshape(-1, 2)


class GreedySearch:
    """State of the search. A is the inverse of the information so far, (n, n).

    The gain of a pair is its weight times its effective resistance A_ii + A_jj - 2 A_ij. An added pair can only shrink
    resistances, so an earlier maximum of a row bounds that row from above. Only rows whose bound beats the best exact
    value are recomputed, several at a time [Minoux1978]. Rank-one updates of the inverse are collected in
    `_updates` and applied in blocks.
    """

    def __init__(self, inverse: FloatArray, closed: BoolArray, weights: FloatArray | None = None) -> None:
        """Start a search.

        closed: bool, (n, n). Pairs that cannot be chosen; pairs are taken from one half of the symmetric matrix.
        weights: float, (n, n), symmetric. Default: all 1.
        """
        n = len(inverse)
        self._inverse, self._diagonal = inverse.copy(), np.diag(inverse).copy()
        self._closed = closed | np.tri(n, dtype=bool)
        self._weights = weights
        self._updates = np.empty((_BLOCK, n))
        self._waiting = 0
        self._bounds = np.full(n, np.inf)
        self._bounds[-1] = -1.0  # nothing comes after the last
        self._partners = np.zeros(n, dtype=np.intp)

    def best(self) -> tuple[int, int]:
        """Return the pair with the largest gain, lower number first; ties go to the lowest numbers."""
        stale = np.ones(len(self._bounds), dtype=bool)
        while True:
            row = first_largest(self._bounds)
            if not stale[row]:
                return row, int(self._partners[row])
            rows = self._most_promising(row, stale)
            self._refresh(rows)
            stale[rows] = False

    def add(self, i: int, j: int) -> None:
        """Add one comparison of i and j to the information, by Sherman-Morrison."""
        one, other = self._rows(np.array([i, j]))
        difference = one - other
        weight = 1.0 if self._weights is None else float(self._weights[i, j])
        update = difference * np.sqrt(weight / (1 + weight * (difference[i] - difference[j])))
        self._updates[self._waiting] = update
        self._waiting += 1
        self._diagonal = self._diagonal - update * update
        if self._waiting == _BLOCK:
            self._inverse -= self._updates.T @ self._updates
            self._waiting = 0

    def close(self, i: int, j: int) -> None:
        """Exclude a pair from the search; i < j."""
        self._closed[i, j] = True

    def _most_promising(self, row: int, stale: BoolArray) -> IntArray:
        """Return the given stale row and the other stale rows with the largest bounds."""
        if len(stale) <= _ROWS_AT_A_TIME:
            return np.flatnonzero(stale)
        rows = np.argpartition(np.where(stale, self._bounds, -np.inf), -_ROWS_AT_A_TIME)[-_ROWS_AT_A_TIME:]
        rows[0] = row
        return rows

    def _refresh(self, rows: IntArray) -> None:
        gains = self._diagonal[rows, None] + self._diagonal - 2 * self._rows(rows)  # (n_rows, n)
        if self._weights is not None:
            gains = gains * self._weights[rows]
        np.copyto(gains, -1.0, where=self._closed[rows])
        largest = gains.max(axis=1)
        partners = (gains >= (largest - TIE * np.abs(largest))[:, None]).argmax(axis=1)
        self._bounds[rows], self._partners[rows] = gains[np.arange(len(rows)), partners], partners

    def _rows(self, rows: IntArray) -> FloatArray:
        """Return rows of the inverse with pending updates applied, (n_rows, n)."""
        waiting = self._updates[: self._waiting]
        current: FloatArray = self._inverse[rows] - waiting[:, rows].T @ waiting
        return current
