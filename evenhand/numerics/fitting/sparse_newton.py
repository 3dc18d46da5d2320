"""Soft Bradley-Terry scores of one large context, by Newton steps that conjugate gradients solve.

Memory grows with the comparisons, not with N x N: hundreds of thousands of candidates and millions of comparisons fit.
A line search along Newton's direction ends where the slope of the likelihood is small. The likelihood is concave, so
this converges from any start [Nocedal2006].
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from evenhand.numerics.arrays import FloatArray, IntArray, counts, sums
from evenhand.numerics.fitting.logistic_newton import LEAST_WEIGHT, MAX_ITERATIONS, LogisticFit

SPARSE_TOLERANCE = 1e-9
_MOST_STEPS_OF_CG = 2_000
_MOST_TRIALS = 20
_FARTHEST = 30.0
"""The first trial of a line search changes no difference by more than this."""
_FLAT_ENOUGH = 0.5
"""A line search ends where the absolute slope is at most this share of the slope at its start."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Unordered pairs with at least one comparison, low < high, in rising order, int, (n_edges,)."""

    low: IntArray
    high: IntArray

    def sums(self, at_low: FloatArray, at_high: FloatArray, n_candidates: int) -> FloatArray:
        """Sum the values, (n_edges,), at each candidate's ends of its edges, (n_candidates,)."""
        return sums(self.low, at_low, n_candidates) + sums(self.high, at_high, n_candidates)

    def differences(self, scores: FloatArray) -> FloatArray:
        """Return the score of the lower-numbered candidate minus the other's, (n_edges,)."""
        return scores[self.low] - scores[self.high]


@dataclass(frozen=True, slots=True)
class _EdgeWins:
    """Numbers of comparisons and of wins of the lower-numbered candidate, (n_edges,), in one or both orders.

    shift: the lower-numbered candidate's lead in score at which both are equally likely to win.
    """

    counts: FloatArray
    wins: FloatArray
    shift: float


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    """Scores with the derivatives of the log-likelihood there.

    scores, gradient: float, (n_candidates,). differences: float, (n_edges,). Differences of the scores of each edge.
    weights: float, (n_edges,). Weights of the edges in the negative Hessian, which is a Laplacian.
    """

    scores: FloatArray
    differences: FloatArray
    gradient: FloatArray
    weights: FloatArray

    @property
    def steepness(self) -> float:
        """The largest absolute component of the gradient."""
        return float(np.abs(self.gradient).max())


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """The comparisons of one context, summed by unordered pair."""

    edges: Edges
    orders: list[_EdgeWins]
    n_candidates: int

    def rough_scores(self) -> FloatArray:
        """Return the log-odds of each candidate's wins, (n_candidates,)."""
        won, lost = np.full(self.n_candidates, 0.5), np.full(self.n_candidates, 0.5)
        for part in self.orders:
            others = part.counts - part.wins
            won += self.edges.sums(part.wins, others, self.n_candidates)
            lost += self.edges.sums(others, part.wins, self.n_candidates)
        odds: FloatArray = np.log(won / lost)
        return odds

    def point(self, scores: FloatArray, differences: FloatArray) -> _Point:
        surplus, weights = np.zeros(len(differences)), np.full(len(differences), LEAST_WEIGHT)
        with np.errstate(over="ignore"):  # a chance of 0 is then exact
            for part in self.orders:
                chance = 1 / (1 + np.exp(part.shift - differences))
                expected = part.counts * chance
                surplus += part.wins - expected
                weights += expected * (1 - chance)
        return _Point(scores, differences, self.edges.sums(surplus, -surplus, self.n_candidates), weights)

    def search_line(self, point: _Point, step: FloatArray) -> _Point:
        """Take the share of the step, at most the whole step, after which little slope is left along it."""
        change = self.edges.differences(step)
        enough = _FLAT_ENOUGH * float(point.gradient @ step)
        low, share, high = 0.0, min(1.0, _FARTHEST / max(float(np.abs(change).max()), 1e-300)), math.inf
        for _ in range(_MOST_TRIALS):
            reached = self.point(point.scores + share * step, point.differences + share * change)
            slope = float(reached.gradient @ step)
            if abs(slope) <= enough or (slope > 0 and share == 1.0):
                break
            low, high = (share, high) if slope > 0 else (low, share)
            share = min(1.0, 2 * share, (low + high) / 2)
        return reached


def fit_sparse(
    first: IntArray,
    second: IntArray,
    wins: FloatArray,
    *,
    n_candidates: int,
    shift: float = 0.0,
    start: FloatArray | None = None,
) -> LogisticFit:
    """Fit P(first wins) = sigmoid(s_first - s_second - shift) to a gradient below SPARSE_TOLERANCE.

    first, second: int, (n,). wins: float, (n,), in [0, 1]. The comparisons connect all candidates.
    start: float, (n_candidates,). Initial scores; default: the log-odds of each candidate's wins.
    """
    problem = _aggregated(first, second, wins, n_candidates, shift)
    laplacian = WeightedLaplacian(problem.edges, n_candidates)
    scores = problem.rough_scores() if start is None else start
    point = problem.point(scores, problem.edges.differences(scores))
    for _ in range(MAX_ITERATIONS):
        if point.steepness <= SPARSE_TOLERANCE:
            break
        forcing = 0.1 * min(0.1, math.sqrt(point.steepness))
        point = problem.search_line(point, laplacian.with_weights(point.weights).solve(point.gradient, forcing))
    converged = np.full(1, point.steepness <= SPARSE_TOLERANCE)
    return LogisticFit((point.scores - point.scores.mean())[:, None], converged)


def aggregated_edges(first: IntArray, second: IntArray, n_candidates: int) -> tuple[Edges, IntArray]:
    """Return the unordered pairs that occur, and the index of each comparison's pair among them, int, (n,)."""
    keys = np.minimum(first, second) * np.intp(n_candidates) + np.maximum(first, second)
    unique, edge = np.unique(keys, return_inverse=True)
    return Edges(unique // n_candidates, unique % n_candidates), edge


class WeightedLaplacian:
    """The Laplacian of a connected graph with weighted edges."""

    def __init__(self, edges: Edges, n_candidates: int) -> None:
        ends = np.concatenate([[0], np.cumsum(counts(edges.low, n_candidates))])
        weights = np.ones(len(edges.low))
        self._above = csr_array((weights, edges.high, ends), shape=(n_candidates, n_candidates))
        self._below = self._above.T  # a view of the same numbers
        self._ones = np.ones(n_candidates)
        self._degrees = self._neighbours(self._ones)

    def with_weights(self, weights: FloatArray) -> "WeightedLaplacian":
        """Replace the weights of the edges, (n_edges,), in place, and return this Laplacian."""
        self._above.data = self._below.data = weights
        self._degrees = self._neighbours(self._ones)
        return self

    def solve(self, right: FloatArray, tolerance: float) -> FloatArray:
        """Return the solution of mean zero for a right side that sums to zero, (n_candidates,).

        tolerance: of the residual, relative to the right side.
        """
        solution = conjugate_gradients(self._times, right, self._degrees, tolerance)
        return solution - solution.mean()

    def _times(self, values: FloatArray) -> FloatArray:
        return self._degrees * values - self._neighbours(values)

    def _neighbours(self, values: FloatArray) -> FloatArray:
        """Return the weighted sum of the values of each candidate's neighbours, (n_candidates,)."""
        total: FloatArray = self._above @ values + self._below @ values
        return total


def conjugate_gradients(
    times: Callable[[FloatArray], FloatArray], right: FloatArray, diagonal: FloatArray, tolerance: float
) -> FloatArray:
    """Solve times(x) = right, preconditioned by the diagonal, until the residual is at most `tolerance` x right."""
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


def _aggregated(first: IntArray, second: IntArray, wins: FloatArray, n_candidates: int, shift: float) -> _Problem:
    edges, edge = aggregated_edges(first, second, n_candidates)
    low_first = first < second
    for_low = np.where(low_first, wins, 1 - wins)
    n_edges = len(edges.low)
    if not shift:
        both = _EdgeWins(sums(edge, np.ones(len(edge)), n_edges), sums(edge, for_low, n_edges), 0.0)
        return _Problem(edges, [both], n_candidates)
    orders = [
        _EdgeWins(sums(edge, shown, n_edges), sums(edge, for_low * shown, n_edges), sign * shift)
        for shown, sign in ((low_first, 1.0), (~low_first, -1.0))
    ]
    return _Problem(edges, orders, n_candidates)
