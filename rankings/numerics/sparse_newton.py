"""Soft Bradley-Terry scores of one large context, by Newton steps that conjugate gradients solve.

Nothing here is as large as N x N, so hundreds of thousands of candidates and millions of comparisons fit.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from rankings.numerics.arrays import FloatArray, IntArray, sums
from rankings.numerics.logistic_newton import MAX_ITERATIONS, LogisticFit, shortened

TOLERANCE = 1e-9
_MOST_STEPS_OF_CG = 2_000


@dataclass(frozen=True, slots=True)
class Edges:
    """Unordered pairs with at least one comparison, low < high, int, (n_edges,)."""

    low: IntArray
    high: IntArray

    def net_sums(self, values: FloatArray, n_candidates: int) -> FloatArray:
        """Sum of the values at the lower end minus that at the higher end, (n_candidates,)."""
        return sums(self.low, values, n_candidates) - sums(self.high, values, n_candidates)


@dataclass(frozen=True, slots=True)
class _Sided:
    """Comparisons of each edge shown one way round: how many, and how many of them the lower candidate won, (n_edges,).

    shift: the lower candidate's difference of scores at which either is as likely to win.
    """

    counts: FloatArray
    wins: FloatArray
    shift: float


def fit_sparse(
    first: IntArray,
    second: IntArray,
    wins: FloatArray,
    *,
    n_candidates: int,
    shift: float = 0.0,
    start: FloatArray | None = None,
) -> LogisticFit:
    """Scores with P(first wins) = sigmoid(s_first - s_second - shift), every component of the gradient below TOLERANCE.

    first, second: int, (n,). wins: float, (n,), in [0, 1]. The comparisons connect all candidates.
    start: float, (n_candidates,). Where to begin; left out, at zero.
    """
    edges, sided = _aggregated(first, second, wins, n_candidates, shift)
    laplacian = WeightedLaplacian(edges, n_candidates)
    scores = np.zeros(n_candidates) if start is None else start
    for iteration in range(MAX_ITERATIONS):
        surplus, weights = _derivatives(edges, sided, scores)
        gradient = edges.net_sums(surplus, n_candidates)
        if np.abs(gradient).max() <= TOLERANCE:
            return LogisticFit((scores - scores.mean())[:, None], np.ones(1, dtype=bool))
        forcing = 0.1 * min(0.1, float(np.sqrt(np.abs(gradient).max())))
        step = laplacian.with_weights(weights).solve(gradient, forcing)
        scores = scores + shortened(step, iteration)
    return LogisticFit((scores - scores.mean())[:, None], np.zeros(1, dtype=bool))


def aggregated_edges(first: IntArray, second: IntArray, n_candidates: int) -> tuple[Edges, IntArray]:
    """The unordered pairs that occur, and which of them each comparison is of, int, (n,)."""
    keys = np.minimum(first, second) * np.intp(n_candidates) + np.maximum(first, second)
    unique, edge = np.unique(keys, return_inverse=True)
    return Edges(unique // n_candidates, unique % n_candidates), edge


class WeightedLaplacian:
    """The Laplacian of a connected graph whose edges carry weights, and systems solved with it."""

    def __init__(self, edges: Edges, n_candidates: int) -> None:
        self._edges, self._n = edges, n_candidates
        n_edges = len(edges.low)
        rows, columns = np.concatenate([edges.low, edges.high]), np.concatenate([edges.high, edges.low])
        places = csr_array((np.arange(1, 2 * n_edges + 1), (rows, columns)), shape=(n_candidates, n_candidates))
        self._order = (places.data - 1) % n_edges
        self._adjacency = places.astype(np.float64)
        self._degrees = np.ones(n_candidates)

    def with_weights(self, weights: FloatArray) -> "WeightedLaplacian":
        """This Laplacian, with other weights of the edges, (n_edges,)."""
        self._adjacency.data = weights[self._order]
        self._degrees = sums(self._edges.low, weights, self._n) + sums(self._edges.high, weights, self._n)
        return self

    def solve(self, right: FloatArray, tolerance: float) -> FloatArray:
        """The solution of mean zero for a right side that sums to zero, to a relative residual, (n_candidates,)."""
        solution = conjugate_gradients(self._times, right, self._degrees, tolerance)
        return solution - solution.mean()

    def _times(self, values: FloatArray) -> FloatArray:
        return self._degrees * values - self._adjacency @ values


def conjugate_gradients(
    times: Callable[[FloatArray], FloatArray], right: FloatArray, diagonal: FloatArray, tolerance: float
) -> FloatArray:
    """Solve times(x) = right, preconditioned by the diagonal, until the residual has shrunk to `tolerance` of right."""
    solution, residual = np.zeros_like(right), right
    scaled = residual / diagonal
    direction, product = scaled, residual @ scaled
    enough = tolerance * np.linalg.norm(right)
    for _ in range(_MOST_STEPS_OF_CG if enough > 0 else 0):
        image = times(direction)
        length = product / (direction @ image)
        solution = solution + length * direction
        residual = residual - length * image
        if np.linalg.norm(residual) <= enough:
            break
        scaled = residual / diagonal
        before, product = product, residual @ scaled
        direction = scaled + product / before * direction
    return solution


def _aggregated(
    first: IntArray, second: IntArray, wins: FloatArray, n_candidates: int, shift: float
) -> tuple[Edges, list[_Sided]]:
    edges, edge = aggregated_edges(first, second, n_candidates)
    rising = first < second
    for_low = np.where(rising, wins, 1 - wins)
    n_edges = len(edges.low)
    if not shift:
        return edges, [_Sided(sums(edge, np.ones(len(edge)), n_edges), sums(edge, for_low, n_edges), 0.0)]
    return edges, [
        _Sided(sums(edge, shown, n_edges), sums(edge, for_low * shown, n_edges), sign * shift)
        for shown, sign in ((rising, 1.0), (~rising, -1.0))
    ]


def _derivatives(edges: Edges, sided: list[_Sided], scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Wins of the lower candidate beyond those expected, and the weight in the Hessian, both (n_edges,)."""
    difference = scores[edges.low] - scores[edges.high]
    surplus, weights = np.zeros(len(difference)), np.zeros(len(difference))
    for part in sided:
        chance = 1 / (1 + np.exp(part.shift - difference))
        surplus += part.wins - part.counts * chance
        weights += part.counts * chance * (1 - chance)
    return surplus, weights
