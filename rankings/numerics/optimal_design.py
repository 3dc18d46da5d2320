"""D-optimal order of pairs for the Gaussian expert, greedily [Liusie2024b].

After a chain through all candidates, the next pair is always the one of largest effective resistance
A_ii + A_jj - 2 A_ij, A being the inverse of the anchored Laplacian of the pairs so far. The answers play no part, so
one sequence per number of candidates serves every context, and each budget is a prefix of it.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rankings.numerics.arrays import FloatArray, IntArray

_BLOCK = 48
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
    rows whose bound still beats the best exact value are computed anew [Minoux1978]. Rank-one updates of the inverse
    wait in `updates` and reach it in blocks.
    """

    def __init__(self, n_candidates: int) -> None:
        self.n = n_candidates
        numbers = np.arange(1, n_candidates + 1, dtype=np.float64)
        self.inverse = np.minimum(numbers[:, None], numbers)  # of the anchored chain
        self.diagonal = numbers.copy()
        self.updates = np.empty((_BLOCK, n_candidates))
        self.waiting = 0
        self.asked = np.zeros((n_candidates, n_candidates), dtype=np.int8)
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
        return pair

    def _best(self) -> tuple[int, int]:
        stale = np.ones(self.n, dtype=bool)
        while True:
            row = _first_largest(self.bounds)
            if not stale[row]:
                return row, int(self.partners[row])
            self._refresh(row)
            stale[row] = False

    def _refresh(self, row: int) -> None:
        later = slice(row + 1, self.n)
        resistance = self.diagonal[row] + self.diagonal[later] - 2 * self._row(row)[later]
        resistance[self.asked[row, later] == 2] = -1.0
        partner = _first_largest(resistance)
        self.bounds[row], self.partners[row] = resistance[partner], row + 1 + partner

    def _row(self, row: int) -> FloatArray:
        """One row of the inverse, with the updates that wait."""
        waiting = self.updates[: self.waiting]
        current: FloatArray = self.inverse[row] - waiting[:, row] @ waiting
        return current

    def _add(self, i: int, j: int) -> None:
        """Sherman-Morrison: the inverse after one more comparison of i and j."""
        difference = self._row(i) - self._row(j)
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
