"""Logistic models of one larger context, by Newton steps that conjugate gradients solve over a table of all pairs.

A step costs a few passes over the N x N table. For many comparisons this is faster than lists of pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dsymv

from evenhand.numerics.arrays import FloatArray, IntArray, sums
from evenhand.numerics.fitting.logistic_newton import MAX_ITERATIONS, TOLERANCE, LogisticFit, spread, trusted_share
from evenhand.numerics.fitting.sparse_newton import conjugate_gradients

LARGEST_TABLE = 2_000
"""Contexts with more candidates than this have no table of pairs in curves, because it takes N^2 memory."""
LARGEST_SPREAD = 600.0
"""Scores farther apart than this have no strengths within the range of floating-point numbers."""
_FORCING = 1e-3
"""Relative residual of a Newton step. A smaller one saves no steps."""
_ROWS_AT_ONCE = 64
_SMALL_STEP = 1e-3
"""A step that changes no difference of scores by more leaves the curvature as it was, to about this share."""


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """Comparisons with the same shift: `first` wins with probability sigmoid(s_first - s_second - shift).

    counts: float, (n, n). Comparisons of each pair. Rows are the lower-numbered candidates; the rest is zero.
    shift: the lower-numbered candidate's lead in score at which both are equally likely to win.
    """

    counts: FloatArray
    shift: float = 0.0


class DenseLaplacian:
    """The Laplacian of the weights strength_i x strength_j x table_ij.

    table: float, (n, n), zero on the diagonal and below. strengths: float, (n,).
    """

    def __init__(self, table: FloatArray, strengths: FloatArray) -> None:
        self._columns, self._strengths = table.T, strengths  # BLAS reads columns
        self._degrees = self._neighbours(np.ones(len(strengths)))

    def solve(self, right: FloatArray, tolerance: float) -> FloatArray:
        """Return the solution of mean zero for a right side that sums to zero, (n,). tolerance: relative."""
        solution = conjugate_gradients(self._times, right, self._degrees, tolerance)
        return solution - solution.mean()

    def _times(self, values: FloatArray) -> FloatArray:
        return self._degrees * values - self._neighbours(values)

    def _neighbours(self, values: FloatArray) -> FloatArray:
        """Return the weighted sum of the values of each candidate's neighbours, (n,)."""
        product: FloatArray = dsymv(1.0, self._columns, self._strengths * values, lower=1)
        return self._strengths * product


def pair_table(first: IntArray, second: IntArray, n_candidates: int) -> FloatArray:
    """Return the number of comparisons of each pair, in the form of `PairTable.counts`."""
    cells = np.minimum(first, second) * n_candidates + np.maximum(first, second)
    return sums(cells, np.ones(len(cells)), n_candidates**2).reshape(n_candidates, n_candidates)


def fit_dense(
    tables: Sequence[PairTable],
    wins: FloatArray,
    *,
    start: FloatArray | None = None,
    scratch: FloatArray | None = None,
) -> LogisticFit:
    """Fit one problem to a gradient below TOLERANCE. Its comparisons connect all candidates.

    wins: float, (n,). Total wins of each candidate in all tables. start: float, (n,). Initial scores; default: 0.
    scratch: float, (n, n). Memory for the curvature, zero on the diagonal and below; default: new memory.
    """
    scores = np.zeros(len(wins)) if start is None else start - start.mean()
    table = np.zeros((len(wins), len(wins))) if scratch is None else scratch
    moved = np.inf  # since the curvature was computed
    for iteration in range(MAX_ITERATIONS):
        if spread(scores) > LARGEST_SPREAD:
            break
        is_stale = moved > _SMALL_STEP
        gradient = _gradient(tables, wins, scores, table if is_stale else None)
        if np.abs(gradient).max() <= TOLERANCE:
            return LogisticFit((scores - scores.mean())[:, None], np.ones(1, dtype=bool))
        step = DenseLaplacian(table, np.exp(scores)).solve(gradient, _FORCING)
        step = trusted_share(spread(step), iteration) * step
        scores, moved = scores + step, float(spread(step)) + (0.0 if is_stale else moved)
    return LogisticFit((scores - scores.mean())[:, None], np.zeros(1, dtype=bool))


def _gradient(
    tables: Sequence[PairTable], wins: FloatArray, scores: FloatArray, curvature: FloatArray | None
) -> FloatArray:
    """Return the gradient of the log-likelihood, (n,). curvature: gets the table for `DenseLaplacian`, unless None."""
    gradient, strengths, ones = wins.copy(), np.exp(scores), np.ones(len(scores))
    sums_of_strengths, quotients = np.empty((2, min(_ROWS_AT_ONCE, len(scores)) * len(scores)))
    for number, one in enumerate(tables):
        handicap = np.exp(one.shift)
        opponents = handicap * strengths
        for start in range(0, len(scores), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            shape = (len(strengths[rows]), len(strengths) - start)
            both, weights = (array[: shape[0] * shape[1]].reshape(shape) for array in (sums_of_strengths, quotients))
            np.add(strengths[rows, None], opponents[None, start:], out=both)
            np.divide(one.counts[rows, start:], both, out=weights)
            gradient[rows] -= strengths[rows] * (weights @ ones[start:])
            gradient[start:] -= opponents[start:] * (ones[: shape[0]] @ weights)
            if curvature is None:
                continue
            weights /= both if handicap == 1 else both / handicap
            curvature[rows, start:] = curvature[rows, start:] + weights if number else weights
    return gradient
