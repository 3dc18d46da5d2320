"""Scores of many small products of experts at once, by Newton steps with a line search.

The problems lie along the last axis. Derivatives of the log-density are central differences.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, sums
from evenhand.numerics.fitting.laplacian_elimination import eliminate, solve
from evenhand.numerics.fitting.logistic_newton import LogisticFit

LARGEST_GRADIENT = 1e-6
LARGEST_LAST_STEP = 1e-7
MOST_STEPS = 20
_HALVINGS = 12
_STEP = 1e-5
_WIDE_STEP = 1e-3
_LEAST_CURVATURE = 1e-6
"""A comparison with less curvature has a linear log-density, within the errors of the differences."""


@dataclass(frozen=True, slots=True, eq=False)
class ExpertProblems:
    """Comparisons of several problems, each column (n,).

    first, second: index of the candidate and the problem in a flattened (size, n_problems).
    pairs: index of the pair and the problem in a flattened (n_pairs, n_problems).
    p_first: answers. log_density: as in `custom_experts`, with the shift of position bias.
    """

    size: int
    n_problems: int
    first: IntArray
    second: IntArray
    pairs: IntArray
    p_first: FloatArray
    log_density: Callable[[FloatArray, FloatArray], FloatArray]

    def totals(self, values: FloatArray) -> FloatArray:
        """Sum the values of the comparisons of each problem, (n_problems,)."""
        return sums(self.first % self.n_problems, values, self.n_problems)

    def log_densities(self, scores: FloatArray, further: float = 0.0) -> FloatArray:
        """Return the log-density of each comparison, (n,). scores: float, (size, n_problems). further: added."""
        flat = scores.reshape(-1)
        return self.log_density(flat[self.first] - flat[self.second] + further, self.p_first)


def fit_experts(problems: ExpertProblems, start: FloatArray) -> LogisticFit:
    """Maximise the sum of the log-densities of each problem. Its comparisons connect its candidates.

    A problem counts as converged only if every comparison has curvature at its scores: they are then the only maximum.
    start: float, (size, n_problems). Initial scores.
    """
    scores, converged = start, np.zeros(problems.n_problems, dtype=bool)
    with np.errstate(all="ignore"):  # the log-density of a step that goes too far may overflow
        for _ in range(MOST_STEPS):
            step, converged = _newton_step(problems, *_derivatives(problems, scores))
            change = _share(problems, scores, step) * step
            if not np.abs(change[:, ~converged]).any():
                break
            scores = scores + change
    return LogisticFit(scores - scores.mean(axis=0), converged)


def _derivatives(problems: ExpertProblems, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the slope and the negative second derivative of each comparison's log-density, both (n,)."""
    ahead, behind = (problems.log_densities(scores, further) for further in (_STEP, -_STEP))
    farther, back = (problems.log_densities(scores, further) for further in (_WIDE_STEP, -_WIDE_STEP))
    slope = (ahead - behind) / (2 * _STEP)
    return slope, (2 * problems.log_densities(scores) - farther - back) / _WIDE_STEP**2


def _newton_step(problems: ExpertProblems, slope: FloatArray, curvature: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the Newton step, (size, n_problems), and True for problems that are at their maximum, (n_problems,)."""
    shape, n_pairs = (problems.size, problems.n_problems), problems.size * (problems.size - 1) // 2
    cells = problems.size * problems.n_problems
    gradient = (sums(problems.first, slope, cells) - sums(problems.second, slope, cells)).reshape(shape)
    weights = sums(problems.pairs, np.maximum(curvature, 0), n_pairs * problems.n_problems)
    elimination = eliminate(weights.reshape(n_pairs, problems.n_problems))
    step = np.where(elimination.connected, solve(elimination, gradient.copy()), 0.0)
    is_curved = problems.totals((curvature < _LEAST_CURVATURE).astype(np.float64)) == 0
    is_flat = np.abs(gradient).max(axis=0) <= LARGEST_GRADIENT
    is_still = np.abs(step).max(axis=0) <= LARGEST_LAST_STEP
    converged: BoolArray = elimination.connected & is_curved & is_flat & is_still
    return step, converged


def _share(problems: ExpertProblems, scores: FloatArray, step: FloatArray) -> FloatArray:
    """Return the share of each step at which the log-density does not fall, (n_problems,); 0 if none is found."""
    before = problems.totals(problems.log_densities(scores))
    least = before - 1e-12 * (1 + np.abs(before))
    share = np.ones(problems.n_problems)
    falls = np.ones(problems.n_problems, dtype=bool)
    for _ in range(_HALVINGS):
        falls = ~(problems.totals(problems.log_densities(scores + share * step)) >= least)
        if not falls.any():
            break
        share = np.where(falls, share / 2, share)
    return np.where(falls, 0.0, share)
