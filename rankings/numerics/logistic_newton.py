"""Maximum likelihood of logistic models of differences of scores, by damped Newton steps.

The model: `first` wins with probability sigmoid(s_first - s_second - shift); wins and counts may be fractions.
Let b be the largest change of a difference that a Newton step would make. The first BOLD_ITERATIONS steps are only
shortened to b = 2, which is enough for most data. Later ones are scaled by log(1 + b) / b: the logistic loss is
generalised self-concordant, so each of these goes uphill and the iteration converges from anywhere [Sun2019].
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg
from scipy.sparse import csr_array

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray, sums
from rankings.numerics.laplacians import laplacians

TOLERANCE = 1e-10
LEAST_WEIGHT = 1e-12
"""The least that an answer counts in the curvature, so that those which are all but certain still connect."""
BOLD_ITERATIONS = 12
MAX_ITERATIONS = 200
_CHUNK_ELEMENTS = 1 << 16
_LARGEST_SMALL = 24


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFit:
    """Scores at the optimum, mean zero.

    scores: float, (n_candidates, n_problems).
    converged: bool, (n_problems,). Whether every component of the gradient is below the tolerance.
    """

    scores: FloatArray
    converged: BoolArray


def fit_stack(
    first: IntArray,
    second: IntArray,
    counts: FloatArray,
    wins: FloatArray,
    *,
    n_candidates: int,
    shift: float = 0.0,
    start: FloatArray | None = None,
) -> LogisticFit:
    """Fit many problems over the same list of pairs; those that have met the tolerance leave the stack.

    first, second: int, (n_pairs,). A pair may be listed in both orders.
    counts, wins: float, (n_pairs, n_problems). How often the pair was compared, and won by `first`; every problem's
    pairs connect its candidates.
    start: float, (n_candidates, n_problems). Where to begin; left out, at zero.
    """
    n_problems = counts.shape[1]
    scores = np.zeros((n_candidates, n_problems)) if start is None else start.copy()
    converged = np.zeros(n_problems, dtype=bool)
    pairs = _Pairs(first, second, n_candidates)
    width = max(1, _CHUNK_ELEMENTS // len(first))
    for at in range(0, n_problems, width):
        part = slice(at, at + width)
        fit = _fit_chunk(pairs, counts[:, part], wins[:, part], scores[:, part], shift)
        scores[:, part], converged[part] = fit.scores, fit.converged
    return LogisticFit(scores, converged)


def fit_dense(
    first: IntArray,
    second: IntArray,
    counts: FloatArray,
    wins: FloatArray,
    *,
    n_candidates: int,
    shift: float = 0.0,
    extra: float = 0.0,
    start: FloatArray | None = None,
) -> LogisticFit:
    """Fit one larger problem with a dense Hessian, (n_candidates, n_candidates).

    counts, wins: float, (n_pairs,). extra: wins added to every ordered pair of candidates, on top of these.
    start: float, (n_candidates,). Where to begin; left out, at zero.
    """
    pairs = _Pairs(first, second, n_candidates)
    scores = np.zeros(n_candidates) if start is None else start
    for iteration in range(MAX_ITERATIONS):
        gradient, hessian = _dense_derivatives(pairs, counts, wins, scores, shift, extra)
        if np.abs(gradient).max() <= TOLERANCE:
            return LogisticFit((scores - scores.mean())[:, None], np.ones(1, dtype=bool))
        pinned = hessian + np.trace(hessian) / n_candidates**2
        factor = scipy.linalg.cho_factor(pinned, lower=True, overwrite_a=True, check_finite=False)
        step = scipy.linalg.cho_solve(factor, gradient, check_finite=False)
        scores = scores + shortened(step, iteration)
    return LogisticFit((scores - scores.mean())[:, None], np.zeros(1, dtype=bool))


def negative_hessian(
    counts: FloatArray, scores: FloatArray, shift: float = 0.0, *, least: float = LEAST_WEIGHT
) -> FloatArray:
    """The negative Hessian of each problem, (n_problems, size, size): the Laplacian of counts x p x (1 - p).

    counts: float, (n_problems, size, size), of ordered pairs. scores: float, (n_problems, size). least: what
    p x (1 - p) counts where it is below that; 0 for the Hessian itself, which may then be singular to the last digit.
    """
    differences = scores[:, :, None] - scores[:, None, :] - shift
    odds = np.exp(-np.abs(differences))  # of the less likely of the two
    return laplacians(counts * np.maximum(odds / (1 + odds) ** 2, least))


def shortened(step: FloatArray, iteration: int) -> FloatArray:
    """Newton steps, (n_candidates, …), made short enough to be trusted at this iteration."""
    reach = np.maximum(step.max(axis=0) - step.min(axis=0), 1e-300)
    if iteration < BOLD_ITERATIONS:
        return step * np.minimum(1.0, 2.0 / reach)
    return step * (np.log1p(reach) / reach)


def solve_stack(matrices: FloatArray, right: FloatArray) -> FloatArray:
    """Solve many symmetric positive definite systems; both arrays are used up.

    matrices: float, (size, size, n_problems), lower triangles. right: float, (size, n_problems).
    """
    return _solve_small(matrices, right) if len(matrices) <= _LARGEST_SMALL else _solve_medium(matrices, right)


def _solve_small(matrices: FloatArray, right: FloatArray) -> FloatArray:
    """By L D L', step by step; the problems lie along the last axis, so each numpy call works on all of them."""
    size = matrices.shape[0]
    for k in range(size):
        column = matrices[k + 1 :, k] / matrices[k, k]  # (size - k - 1, n_problems)
        for row in range(size - k - 1):
            matrices[k + 1 + row, k + 1 : k + 2 + row] -= column[row] * matrices[k + 1 : k + 2 + row, k]
        matrices[k + 1 :, k] = column
        right[k + 1 :] -= column * right[k]
    right /= matrices[np.arange(size), np.arange(size)]
    for k in range(size - 1, 0, -1):
        right[:k] -= matrices[k, :k] * right[k]
    return right


def _solve_medium(matrices: FloatArray, right: FloatArray) -> FloatArray:
    """By the library, one problem after the other."""
    size = len(matrices)
    lower = np.moveaxis(matrices, 2, 0)
    whole = np.tril(lower) + np.tril(lower, -1).transpose(0, 2, 1)
    return np.linalg.solve(whole, right.T.reshape(-1, size, 1))[:, :, 0].T.astype(np.float64, copy=False)


class _Pairs:
    """The list of pairs, with what the derivatives need of it."""

    def __init__(self, first: IntArray, second: IntArray, n_candidates: int) -> None:
        self.first, self.second, self.n_candidates = first, second, n_candidates
        self.high, self.low = np.maximum(first, second), np.minimum(first, second)

    @cached_property
    def repeats(self) -> bool:
        """Whether an unordered pair is listed more than once."""
        return len(np.unique(self.high * self.n_candidates + self.low)) < len(self.first)

    @cached_property
    def signs(self) -> csr_array:
        """+1 for the first and -1 for the second candidate of each pair, (n_candidates, n_pairs).

        Sparse, not for its zeros but because a sparse product is one plain loop: a dense one of this size goes to a
        threaded library, which is many times slower where other processes want the cores.
        """
        n_pairs = len(self.first)
        values = np.repeat([1.0, -1.0], n_pairs)
        cells = np.concatenate([self.first, self.second]), np.tile(np.arange(n_pairs), 2)
        return csr_array((values, cells), shape=(self.n_candidates, n_pairs))

    @cached_property
    def incidence(self) -> csr_array:
        """1 for both candidates of each pair, (n_candidates, n_pairs)."""
        return np.abs(self.signs)


def _fit_chunk(pairs: _Pairs, counts: FloatArray, wins: FloatArray, start: FloatArray, shift: float) -> LogisticFit:
    """Newton steps on all problems at once; each takes one step after its tolerance is met, so that ties are exact."""
    scores = start.copy()
    converged = np.zeros(scores.shape[1], dtype=bool)
    left = np.arange(scores.shape[1])
    for iteration in range(MAX_ITERATIONS):
        gradient, weights = _derivatives(pairs, counts, wins, scores[:, left], shift)
        done = np.abs(gradient).max(axis=0) <= TOLERANCE
        scores[:, left] += shortened(solve_stack(_hessians(pairs, weights), gradient), iteration)
        if done.any():
            converged[left[done]] = True
            left, counts, wins = left[~done], counts[:, ~done], wins[:, ~done]
        if not len(left):
            break
    return LogisticFit(scores - scores.mean(axis=0), converged)


def _derivatives(
    pairs: _Pairs, counts: FloatArray, wins: FloatArray, scores: FloatArray, shift: float
) -> tuple[FloatArray, FloatArray]:
    """The gradient, (n_candidates, n_problems), and each pair's weight in the Hessian, (n_pairs, n_problems)."""
    chance = 1 / (1 + np.exp(scores[pairs.second] - scores[pairs.first] + shift))
    expected = counts * chance
    return pairs.signs @ (wins - expected), expected * (1 - chance)


def _hessians(pairs: _Pairs, weights: FloatArray) -> FloatArray:
    """Lower triangles of negative Hessians plus a constant that pins the mean, (n, n, n_problems)."""
    n = pairs.n_candidates
    hessians = np.zeros((n, n, weights.shape[1]))
    if pairs.repeats:
        np.subtract.at(hessians, (pairs.high, pairs.low), weights)
    else:
        hessians[pairs.high, pairs.low] = -weights
    degrees = pairs.incidence @ weights
    hessians[np.arange(n), np.arange(n)] = degrees
    hessians += degrees.sum(axis=0) / n**2
    return hessians


def _dense_derivatives(
    pairs: _Pairs, counts: FloatArray, wins: FloatArray, scores: FloatArray, shift: float, extra: float
) -> tuple[FloatArray, FloatArray]:
    """The gradient, (n,), and the negative Hessian, (n, n), of one problem."""
    n = pairs.n_candidates
    chance = 1 / (1 + np.exp(scores[pairs.second] - scores[pairs.first] + shift))
    surplus = wins - counts * chance
    gradient = sums(pairs.first, surplus, n) - sums(pairs.second, surplus, n)
    cells = pairs.first * n + pairs.second
    hessian = sums(cells, counts * chance * (1 - chance), n * n).reshape(n, n)
    if extra:
        every = 1 / (1 + np.exp(scores[None, :] - scores[:, None]))  # (n, n)
        gradient = gradient + 2 * extra * (0.5 - every).sum(axis=1)
        hessian = hessian + extra * every * (1 - every)
    return gradient, laplacians(hessian[None])[0]
