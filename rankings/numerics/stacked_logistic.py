"""Logistic scores of very many small problems at once, for curves: roughly in single precision, then exactly.

Newton steps as in `logistic_newton`, whose optimum they reach. The first ones are computed in single precision. Later
ones take the gradient in double precision and only the curvature in single, which leaves an error far below the step;
so the last step, below STEP_TOLERANCE, ends at rounding error.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankings.numerics.arrays import BoolArray, FloatArray
from rankings.numerics.eliminations import eliminate, pair_rows, solve
from rankings.numerics.logistic_newton import BOLD_ITERATIONS

STEP_TOLERANCE = 1e-7
MOST_ITERATIONS = 60
"""Few soft fits of few, nearly certain answers take more than this; they keep what they have reached by then, which
moves the mean of a curve by less than 0.0001."""
_ROUGH_ITERATIONS = 3
_SMALL_STEP = 1e-4


def fit_orders(asked: FloatArray, won: FloatArray, *, shift: float, start: FloatArray) -> FloatArray:
    """Scores of P(lower better) = sigmoid(s_low - s_high - shift) where it came first, mean zero, (size, n_problems).

    asked, won: float, (n_pairs, n_problems). How often each pair was compared, and won by the lower candidate, in the
    order of `np.triu_indices`. With a shift, (2 n_pairs, n_problems): the pairs with the lower candidate first, then
    those with the higher one first, won by that.
    start: float, (size, n_problems). Where to begin.
    """
    rough: NDArray[Any] = start.astype(np.float32)
    curve = _Derivatives(asked.astype(np.float32), won.astype(np.float32), shift)
    for _ in range(_ROUGH_ITERATIONS):
        curve.at(rough)
        rough += _shortened(solve(eliminate(curve.weights), curve.gradient), 0)
    scores = rough.astype(np.float64)
    _refine(_Derivatives(asked, won, shift), scores)
    return scores - scores.mean(axis=0)


def _refine(curve: "_Derivatives", scores: FloatArray) -> None:
    """Steps in double precision, written into the scores; curvatures that have hardly changed are used again."""
    left = np.arange(scores.shape[1])
    moved = np.inf
    for iteration in range(_ROUGH_ITERATIONS, MOST_ITERATIONS):
        curve.at(scores[:, left])
        if moved > _SMALL_STEP:
            elimination = eliminate(curve.weights.astype(np.float32))
        step = _shortened(solve(elimination, curve.gradient.astype(np.float32)), iteration)
        scores[:, left] += step
        steps = np.abs(step).max(axis=0)
        moving, moved = steps > STEP_TOLERANCE, float(steps.max())
        if not moving.any():
            break
        if 2 * np.count_nonzero(moving) < len(left):
            left, curve, moved = left[moving], curve.of(moving), np.inf


class _Derivatives:
    """Of the likelihood of some problems, in the precision of `asked`; the arrays are written over at each point.

    gradient: float, (size, n_problems). weights: float, (n_pairs, n_problems), of each pair in the curvature.
    """

    def __init__(self, asked: FloatArray, won: FloatArray, shift: float) -> None:
        self.asked, self.won, self.shift = asked, won, shift
        n_pairs = len(asked) // 2 if shift else len(asked)
        self.gaps, self.surplus, self.weights = np.empty((3, n_pairs, asked.shape[1]), dtype=asked.dtype)
        if shift:
            self.more = np.empty((3, n_pairs, asked.shape[1]), dtype=asked.dtype)

    def of(self, some: BoolArray) -> "_Derivatives":
        """The same of some of the problems."""
        return _Derivatives(self.asked[:, some], self.won[:, some], self.shift)

    def at(self, scores: FloatArray) -> None:
        """Write the gradient and the weights at these scores."""
        rows = pair_rows(len(scores))
        for candidate, row in enumerate(rows):
            np.subtract(scores[candidate], scores[candidate + 1 :], out=self.gaps[row])
        if self.shift:
            self._both_orders()
        else:
            _of_pairs(self.asked, self.won, self.gaps, self.surplus, self.weights)
        self.gradient = np.zeros(scores.shape, dtype=scores.dtype)
        for candidate, row in enumerate(rows):
            self.gradient[candidate] += self.surplus[row].sum(axis=0)
            self.gradient[candidate + 1 :] -= self.surplus[row]

    def _both_orders(self) -> None:
        half = len(self.gaps)
        gaps, surplus, weights = self.more
        np.negative(self.gaps, out=gaps)
        gaps -= self.shift
        self.gaps -= self.shift
        _of_pairs(self.asked[:half], self.won[:half], self.gaps, self.surplus, self.weights)
        _of_pairs(self.asked[half:], self.won[half:], gaps, surplus, weights)
        self.surplus -= surplus
        self.weights += weights


def _of_pairs(asked: FloatArray, won: FloatArray, gaps: FloatArray, surplus: FloatArray, weights: FloatArray) -> None:
    """Write the wins beyond what was expected, and the weights, all (n_pairs, n_problems); gaps are used up.

    With t = tanh(gap / 2), the chance of a win is (1 + t) / 2 and its variance (1 - t^2) / 4.
    """
    gaps /= 2
    chance = np.tanh(gaps, out=gaps)
    np.add(chance, 1, out=surplus)
    surplus /= 2
    surplus *= asked
    np.subtract(won, surplus, out=surplus)
    np.multiply(chance, chance, out=weights)
    np.subtract(1, weights, out=weights)
    weights /= 4
    weights *= asked


def _shortened(step: FloatArray, iteration: int) -> FloatArray:
    """As `logistic_newton.shortened`, in the precision of the step."""
    reach = np.maximum(step.max(axis=0) - step.min(axis=0), np.float32(1e-30))
    if iteration < BOLD_ITERATIONS:
        step *= np.minimum(2 / reach, 1)
    else:
        step *= np.log1p(reach) / reach
    return step
