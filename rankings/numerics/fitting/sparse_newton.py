"""Soft Bradley-Terry scores of one large context, by Newton steps that conjugate gradients solve.

Nothing here is as large as N x N, so hundreds of thousands of candidates and millions of comparisons fit.
Each step goes as far along Newton's direction as the likelihood keeps rising at a fair rate, which its slope tells;
the likelihood is concave, so this converges from anywhere [Nocedal2006].
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from rankings.numerics.arrays import FloatArray, IntArray, counts, sums
from rankings.numerics.fitting.logistic_newton import LEAST_WEIGHT, MAX_ITERATIONS, LogisticFit

TOLERANCE = 1e-9
_MOST_STEPS_OF_CG = 2_000
_MOST_TRIALS = 20
_FARTHEST = 30.0
"""No step begins by changing a difference more than this."""
_FLAT_ENOUGH = 0.5
"""A step has gone far enough where the slope along it is, either way, at most this share of the slope at its start."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Unordered pairs with at least one comparison, low < high, in rising order, int, (n_edges,)."""

    low: IntArray
    high: IntArray

    def sums(self, at_low: FloatArray, at_high: FloatArray, n_candidates: int) -> FloatArray:
        """The sum over each candidate's edges of the values, (n_edges,), at its own end, (n_candidates,)."""
        return sums(self.low, at_low, n_candidates) + sums(self.high, at_high, n_candidates)

    def differences(self, scores: FloatArray) -> FloatArray:
        """The score at the lower end minus that at the higher end, (n_edges,)."""
        return scores[self.low] - scores[self.high]


@dataclass(frozen=True, slots=True)
class _Sided:
    """Comparisons of each edge shown one way round: how many, and how many of them the lower candidate won, (n_edges,).

    shift: the lower candidate's difference of scores at which either is as likely to win.
    """

    counts: FloatArray
    wins: FloatArray
    shift: float


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    """Scores, with what the next step needs of them.

    scores, gradient: float, (n_candidates,). differences: float, (n_edges,). Between the scores of each edge.
    weights: float, (n_edges,). In the negative Hessian, which is a Laplacian.
    """

    scores: FloatArray
    differences: FloatArray
    gradient: FloatArray
    weights: FloatArray

    @property
    def steepness(self) -> float:
        """The largest component of the gradient."""
        return float(np.abs(self.gradient).max())


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """The comparisons of one context, summed by unordered pair."""

    edges: Edges
    sided: list[_Sided]
    n_candidates: int

    def beginning(self) -> FloatArray:
        """Rough scores, (n_candidates,): the logarithms of each candidate's odds of winning."""
        won, lost = np.full(self.n_candidates, 0.5), np.full(self.n_candidates, 0.5)
        for part in self.sided:
            others = part.counts - part.wins
            won += self.edges.sums(part.wins, others, self.n_candidates)
            lost += self.edges.sums(others, part.wins, self.n_candidates)
        odds: FloatArray = np.log(won / lost)
        return odds

    def at(self, scores: FloatArray, differences: FloatArray) -> _Point:
        surplus, weights = np.zeros(len(differences)), np.full(len(differences), LEAST_WEIGHT)
        with np.errstate(over="ignore"):  # a chance of 0 is then exact
            for part in self.sided:
                chance = 1 / (1 + np.exp(part.shift - differences))
                expected = part.counts * chance
                surplus += part.wins - expected
                weights += expected * (1 - chance)
        return _Point(scores, differences, self.edges.sums(surplus, -surplus, self.n_candidates), weights)

    def after(self, point: _Point, step: FloatArray) -> _Point:
        """The point after as much of the step as leaves little slope along it, at most the whole step."""
        change = self.edges.differences(step)
        enough = _FLAT_ENOUGH * float(point.gradient @ step)
        low, share, high = 0.0, min(1.0, _FARTHEST / max(float(np.abs(change).max()), 1e-300)), math.inf
        for _ in range(_MOST_TRIALS):
            reached = self.at(point.scores + share * step, point.differences + share * change)
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
    """Scores with P(first wins) = sigmoid(s_first - s_second - shift), every component of the gradient below TOLERANCE.

    first, second: int, (n,). wins: float, (n,), in [0, 1]. The comparisons connect all candidates.
    start: float, (n_candidates,). Where to begin; left out, at each one's odds.
    """
    problem = _aggregated(first, second, wins, n_candidates, shift)
    laplacian = WeightedLaplacian(problem.edges, n_candidates)
    scores = problem.beginning() if start is None else start
    point = problem.at(scores, problem.edges.differences(scores))
    for _ in range(MAX_ITERATIONS):
        if point.steepness <= TOLERANCE:
            break
        forcing = 0.1 * min(0.1, math.sqrt(point.steepness))
        point = problem.after(point, laplacian.with_weights(point.weights).solve(point.gradient, forcing))
    converged = np.full(1, point.steepness <= TOLERANCE)
    return LogisticFit((point.scores - point.scores.mean())[:, None], converged)


def aggregated_edges(first: IntArray, second: IntArray, n_candidates: int) -> tuple[Edges, IntArray]:
    """The unordered pairs that occur, and which of them each comparison is of, int, (n,)."""
    keys = np.minimum(first, second) * np.intp(n_candidates) + np.maximum(first, second)
    unique, edge = np.unique(keys, return_inverse=True)
    return Edges(unique // n_candidates, unique % n_candidates), edge


class WeightedLaplacian:
    """The Laplacian of a connected graph whose edges carry weights, and systems solved with it."""

    def __init__(self, edges: Edges, n_candidates: int) -> None:
        ends = np.concatenate([[0], np.cumsum(counts(edges.low, n_candidates))])
        weights = np.ones(len(edges.low))
        self._above = csr_array((weights, edges.high, ends), shape=(n_candidates, n_candidates))
        self._below = self._above.T  # a view: the same numbers, read the other way
        self._ones = np.ones(n_candidates)
        self._degrees = self._neighbours(self._ones)

    def with_weights(self, weights: FloatArray) -> "WeightedLaplacian":
        """This Laplacian, with other weights of the edges, (n_edges,)."""
        self._above.data = self._below.data = weights
        self._degrees = self._neighbours(self._ones)
        return self

    def solve(self, right: FloatArray, tolerance: float) -> FloatArray:
        """The solution of mean zero for a right side that sums to zero, to a relative residual, (n_candidates,)."""
        solution = conjugate_gradients(self._times, right, self._degrees, tolerance)
        return solution - solution.mean()

    def _times(self, values: FloatArray) -> FloatArray:
        return self._degrees * values - self._neighbours(values)

    def _neighbours(self, values: FloatArray) -> FloatArray:
        """The weighted sum of the values next to each candidate, (n_candidates,)."""
        total: FloatArray = self._above @ values + self._below @ values
        return total


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


def _aggregated(first: IntArray, second: IntArray, wins: FloatArray, n_candidates: int, shift: float) -> _Problem:
    edges, edge = aggregated_edges(first, second, n_candidates)
    rising = first < second
    for_low = np.where(rising, wins, 1 - wins)
    n_edges = len(edges.low)
    if not shift:
        both = _Sided(sums(edge, np.ones(len(edge)), n_edges), sums(edge, for_low, n_edges), 0.0)
        return _Problem(edges, [both], n_candidates)
    sided = [
        _Sided(sums(edge, shown, n_edges), sums(edge, for_low * shown, n_edges), sign * shift)
        for shown, sign in ((rising, 1.0), (~rising, -1.0))
    ]
    return _Problem(edges, sided, n_candidates)
