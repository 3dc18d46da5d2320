"""D-optimal order of pairs for the Gaussian expert, greedily [Liusie2024b].

After a chain through all candidates, the next pair is always the one of largest effective resistance
A_ii + A_jj - 2 A_ij, A being the inverse of the anchored Laplacian of the pairs so far. The answers play no part, so
one sequence per number of candidates serves every context, and each budget is a prefix of it.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray

_BLOCK = 48
_ROWS_AT_A_TIME = 16
_TIE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Unordered pairs, best to ask first: first < second, int, (n,). No pair is there more than twice."""

    first: IntArray
    second: IntArray


def design_sequence(n_candidates: int, length: int) -> Design:
    """The first `length` pairs of the greedy order, at most n_candidates (n_candidates - 1)."""
    whole = _sequence(n_candidates, _rounded_up(length, n_candidates))
    return Design(whole.first[:length], whole.second[:length])


def _rounded_up(length: int, n_candidates: int) -> int:
    """Lengths are rounded up to multiples of the number of candidates, so that near ones share a stored sequence."""
    return min(-(-length // n_candidates) * n_candidates, n_candidates * (n_candidates - 1))


@lru_cache(maxsize=64)
def _sequence(n_candidates: int, length: int) -> Design:
    greedy = _Greedy(n_candidates)
    pairs = np.array([greedy.next_pair() for _ in range(length)], dtype=np.intp).reshape(-1, 2)
    return Design(pairs[:, 0], pairs[:, 1])


class _Greedy:
    """The state of the greedy search.

    An added pair can only shrink resistances, so the best of a row, once computed, bounds that row from above: only
    rows whose bound still beats the best exact value are computed anew, some at a time [Minoux1978]. Rank-one updates
    of the inverse wait in `updates` and reach it in blocks.
    """

    def __init__(self, n_candidates: int) -> None:
        self.n = n_candidates
        numbers = np.arange(1, n_candidates + 1, dtype=np.float64)
        self.inverse = np.minimum(numbers[:, None], numbers)  # of the anchored chain
        self.diagonal = numbers.copy()
        self.updates = np.empty((_BLOCK, n_candidates))
        self.waiting = 0
        self.asked = np.zeros((n_candidates, n_candidates), dtype=np.int8)
        self.closed = np.tri(n_candidates, dtype=bool)  # asked twice, or on or below the diagonal
        self.bounds = np.full(n_candidates, np.inf)
        self.bounds[-1] = -1.0
        self.partners = np.zeros(n_candidates, dtype=np.intp)
        self.chained = 0

    def next_pair(self) -> tuple[int, int]:
        """The pair to ask next, lower number first; the chain comes first, and ties go to the lowest numbers."""
        if self.chained < self.n - 1:
            pair = self.chained, self.chained + 1
            self.chained += 1
        else:
            pair = self._best()
            self._add(*pair)
        self.asked[pair] += 1
        self.closed[pair] = self.asked[pair] == 2
        return pair

    def _best(self) -> tuple[int, int]:
        stale = np.ones(self.n, dtype=bool)
        while True:
            row = _first_largest(self.bounds)
            if not stale[row]:
                return row, int(self.partners[row])
            rows = self._most_promising(row, stale)
            self._refresh(rows)
            stale[rows] = False

    def _most_promising(self, row: int, stale: BoolArray) -> IntArray:
        """A stale row, and as many others of the largest bounds as are computed at a time."""
        if self.n <= _ROWS_AT_A_TIME:
            return np.flatnonzero(stale)
        rows = np.argpartition(np.where(stale, self.bounds, -np.inf), -_ROWS_AT_A_TIME)[-_ROWS_AT_A_TIME:]
        rows[0] = row
        return rows

    def _refresh(self, rows: IntArray) -> None:
        resistances = self.diagonal[rows, None] + self.diagonal - 2 * self._rows(rows)  # (n_rows, n)
        np.copyto(resistances, -1.0, where=self.closed[rows])
        largest = resistances.max(axis=1)
        partners = (resistances >= (largest - _TIE * np.abs(largest))[:, None]).argmax(axis=1)
        self.bounds[rows], self.partners[rows] = resistances[np.arange(len(rows)), partners], partners

    def _rows(self, rows: IntArray) -> FloatArray:
        """Some rows of the inverse, with the updates that wait, (n_rows, n)."""
        waiting = self.updates[: self.waiting]
        current: FloatArray = self.inverse[rows] - waiting[:, rows].T @ waiting
        return current

    def _add(self, i: int, j: int) -> None:
        """Sherman-Morrison: the inverse after one more comparison of i and j."""
        here, there = self._rows(np.array([i, j]))
        difference = here - there
        update = difference / np.sqrt(1 + difference[i] - difference[j])
        self.updates[self.waiting] = update
        self.waiting += 1
        self.diagonal = self.diagonal - update * update
        if self.waiting == _BLOCK:
            self.inverse -= self.updates.T @ self.updates
            self.waiting = 0


def _first_largest(values: FloatArray) -> int:
    """The first place of the largest value, values that differ by rounding counting as equal."""
    largest = values.max()
    if np.isinf(largest):
        return int(values.argmax())
    return int(np.argmax(values >= largest - _TIE * abs(largest)))
