"""The pairs whose comparison would most raise the determinant of an information matrix, one after the other."""

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray

_BLOCK = 48
_ROWS_AT_A_TIME = 16
_TIE = 1e-9


class GreedySearch:
    """The state of the search, A being the inverse of the information so far, (n, n).

    The gain of a pair is its weight times its effective resistance A_ii + A_jj - 2 A_ij. An added pair can only shrink
    resistances, so the best of a row, once computed, bounds that row from above: only rows whose bound still beats the
    best exact value are computed anew, some at a time [Minoux1978]. Rank-one updates of the inverse wait in `_updates`
    and reach it in blocks.
    """

    def __init__(self, inverse: FloatArray, closed: BoolArray, weights: FloatArray | None = None) -> None:
        """closed: bool, (n, n). The pairs that cannot be chosen; one half of the symmetric matrix is always closed.

        weights: float, (n, n), symmetric; left out, all are 1.
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
        """The pair of the largest gain, lower number first; ties go to the lowest numbers."""
        stale = np.ones(len(self._bounds), dtype=bool)
        while True:
            row = _first_largest(self._bounds)
            if not stale[row]:
                return row, int(self._partners[row])
            rows = self._most_promising(row, stale)
            self._refresh(rows)
            stale[rows] = False

    def add(self, i: int, j: int) -> None:
        """Sherman-Morrison: the inverse after one more comparison of i and j."""
        here, there = self._rows(np.array([i, j]))
        difference = here - there
        weight = 1.0 if self._weights is None else float(self._weights[i, j])
        update = difference * np.sqrt(weight / (1 + weight * (difference[i] - difference[j])))
        self._updates[self._waiting] = update
        self._waiting += 1
        self._diagonal = self._diagonal - update * update
        if self._waiting == _BLOCK:
            self._inverse -= self._updates.T @ self._updates
            self._waiting = 0

    def close(self, i: int, j: int) -> None:
        """Choose this pair no more; i < j."""
        self._closed[i, j] = True

    def _most_promising(self, row: int, stale: BoolArray) -> IntArray:
        """A stale row, and as many others of the largest bounds as are computed at a time."""
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
        partners = (gains >= (largest - _TIE * np.abs(largest))[:, None]).argmax(axis=1)
        self._bounds[rows], self._partners[rows] = gains[np.arange(len(rows)), partners], partners

    def _rows(self, rows: IntArray) -> FloatArray:
        """Some rows of the inverse, with the updates that wait, (n_rows, n)."""
        waiting = self._updates[: self._waiting]
        current: FloatArray = self._inverse[rows] - waiting[:, rows].T @ waiting
        return current


def _first_largest(values: FloatArray) -> int:
    """The first place of the largest value, values that differ by rounding counting as equal."""
    largest = values.max()
    if np.isinf(largest):
        return int(values.argmax())
    return int(np.argmax(values >= largest - _TIE * abs(largest)))
