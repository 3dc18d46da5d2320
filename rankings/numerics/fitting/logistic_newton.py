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
from rankings.numerics.fitting.laplacian_elimination import eliminate, solve
from rankings.numerics.fitting.laplacians import laplacians
from rankings.numerics.fitting.running_tallies import pair_numbers
from rankings.numerics.fitting.workspace import Workspace

TOLERANCE = 1e-10
LAST_STEP = 1e-6
LEAST_WEIGHT = 1e-12
"""The least that an answer counts in the curvature, so that those which are all but certain still connect."""
BOLD_ITERATIONS = 12
MAX_ITERATIONS = 200
_CHUNK_ELEMENTS = 1 << 16


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
    wins: FloatArray,
    losses: FloatArray,
    *,
    n_candidates: int,
    shift: float = 0.0,
    start: FloatArray | None = None,
) -> LogisticFit:
    """Fit many problems over the same list of pairs; those that have met the tolerances leave the stack.

    first, second: int, (n_pairs,). A pair may be listed in both orders.
    wins, losses: float, (n_pairs, n_problems). How often `first` won and lost; every problem's pairs connect its
    candidates. Both are taken, for of answers that are all but certain the difference of wins and counts is inexact.
    start: float, (n_candidates, n_problems). Where to begin; left out, at zero.
    """
    n_problems = wins.shape[1]
    scores = np.zeros((n_candidates, n_problems)) if start is None else start.copy()
    converged = np.zeros(n_problems, dtype=bool)
    pairs = _Pairs(first, second, n_candidates)
    width = max(1, _CHUNK_ELEMENTS // len(first))
    for at in range(0, n_problems, width):
        part = slice(at, at + width)
        fit = _fit_chunk(pairs, wins[:, part], losses[:, part], scores[:, part], shift)
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


class _Pairs:
    """The list of pairs, with what the derivatives need of it."""

    def __init__(self, first: IntArray, second: IntArray, n_candidates: int) -> None:
        self.first, self.second, self.n_candidates = first, second, n_candidates

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
    def unordered(self) -> csr_array:
        """1 where a listed pair is an unordered one in the order of `np.triu_indices`, in either order."""
        numbers = pair_numbers(self.n_candidates)[self.first, self.second]
        cells, shape = (
            (numbers, np.arange(len(numbers))),
            (self.n_candidates * (self.n_candidates - 1) // 2, len(numbers)),
        )
        return csr_array((np.ones(len(numbers)), cells), shape=shape)


def _fit_chunk(pairs: _Pairs, wins: FloatArray, losses: FloatArray, start: FloatArray, shift: float) -> LogisticFit:
    """Newton steps on all problems at once, each down to LAST_STEP: what error is left is of its square."""
    scores = start.copy()
    converged = np.zeros(scores.shape[1], dtype=bool)
    left, workspace = np.arange(scores.shape[1]), Workspace()
    for iteration in range(MAX_ITERATIONS):
        gradient, weights = _derivatives(pairs, wins, losses, scores[:, left], shift)
        converged[left] = np.abs(gradient).max(axis=0) <= TOLERANCE
        step = solve(eliminate(pairs.unordered @ weights, workspace), gradient)
        done = converged[left] & (np.abs(step).max(axis=0) <= LAST_STEP)
        scores[:, left] += shortened(step, iteration)
        if done.any():
            left, wins, losses = left[~done], wins[:, ~done], losses[:, ~done]
        if not len(left):
            break
    return LogisticFit(scores - scores.mean(axis=0), converged)


def _derivatives(
    pairs: _Pairs, wins: FloatArray, losses: FloatArray, scores: FloatArray, shift: float
) -> tuple[FloatArray, FloatArray]:
    """The gradient, (n_candidates, n_problems), and each pair's weight in the Hessian, (n_pairs, n_problems).

    What is all but certain is not subtracted from 1, or rounding would move its scores by more than the ninth decimal.
    """
    difference = scores[pairs.first] - scores[pairs.second] - shift
    odds = np.exp(-np.abs(difference))
    likelier = 1 / (1 + odds)
    less_likely = odds * likelier
    is_ahead = difference > 0
    surplus = wins * np.where(is_ahead, less_likely, likelier) - losses * np.where(is_ahead, likelier, less_likely)
    return pairs.signs @ surplus, (wins + losses) * likelier * less_likely


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
