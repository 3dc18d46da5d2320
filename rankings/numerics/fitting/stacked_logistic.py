"""Logistic scores of very many small problems at once, for curves: roughly in single precision, then exactly.

Newton steps as in `logistic_newton`, whose optimum they reach, of half scores z = s / 2. With t = tanh(z_one - z_other)
the chance that one wins is (1 + t) / 2; so a step solves the Laplacian of asked x (1 - t^2) for twice each candidate's
favour less what asked x t adds up to. The rough steps are computed in single precision. The last ones take the gradient
in double precision and only the curvature in single, which leaves an error far below the step; so the last step, below
STEP_TOLERANCE, ends at rounding error. Where only the ranking is wanted, problems whose rough scores cannot change
places any more are left as they are: most of them.
"""

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray
from rankings.numerics.fitting.certain_outcomes import CertainLikelihood, Outcomes
from rankings.numerics.fitting.laplacian_elimination import Elimination, eliminate, pair_rows, pair_signs, solve
from rankings.numerics.fitting.logistic_newton import BOLD_ITERATIONS
from rankings.numerics.fitting.workspace import Workspace

STEP_TOLERANCE = 5e-8
MOST_ITERATIONS = 60
"""Few soft fits of few, nearly certain answers take more than this; they keep what they have reached by then, which
moves the mean of a curve by less than 0.0001."""
_ROUGH_ITERATIONS = 3
_MOST_ROUGH_ITERATIONS = 6
_SMALL_STEP = 1e-4
_WORTH_LEAVING = 0.7
_ROUNDING = 2.0**-24
"""Of single precision; no sum over candidates is wrong by more than this times the candidates and what was asked."""
_FAR = 0.3
"""Differences of scores that have moved by more than this, in most problems, are worth another elimination."""
_FARTHEST = 50.0
"""Beyond this the bound is out of reach of single precision anyway; exp of more overflows."""
_CLOSE = 1e-3
"""Half scores are compared with each other once they are known to this."""
_WORTH_SORTING = 0.3
_FEW = 0.1
_REFINED_TOGETHER = 1_000


def fit_orders(
    asked: NDArray[Any], favour: FloatArray, *, shift: float, start: FloatArray, workspace: Workspace
) -> FloatArray:
    """Scores of P(lower better) = sigmoid(s_low - s_high - shift) where it came first, mean zero, (size, n_problems).

    asked: float, (n_pairs, n_problems). How often each pair was compared, in the order of `np.triu_indices`. With a
    shift, (2 n_pairs, n_problems): with the lower candidate first, then with the higher one first.
    favour: float, (size, n_problems). Each candidate's wins less half of its comparisons.
    start: float, (size, n_problems). Where to begin.
    """
    favour = 2 * favour
    halves = start / 2
    rough = _Settling(_in_single_precision(asked, favour, shift, 0.0, workspace), halves.astype(np.float32))
    for iteration in range(_ROUGH_ITERATIONS):
        rough.step(iteration)
    halves[:] = rough.halves
    _refine(_Likelihood(asked.astype(np.float64, copy=False), favour, shift, workspace), halves, _ROUGH_ITERATIONS)
    return 2 * (halves - halves.mean(axis=0))


def rank_orders(
    asked: NDArray[Any],
    favour: FloatArray,
    *,
    shift: float,
    extra: float,
    start: FloatArray,
    workspace: Workspace,
    outcomes: Outcomes | None = None,
) -> FloatArray:
    """Scores that rank the candidates as those of `fit_orders` do, and lie near them; it takes the same.

    extra: ties added to what was asked. outcomes: taken instead of favour in the last steps. They are needed where
    answers may be all but certain, or rounding would break ties; then without extra.
    """
    favour = 2 * favour
    halves = start / 2
    left = _settle(_in_single_precision(asked, favour, shift, extra, workspace), halves)
    for at in range(0, len(left), _REFINED_TOGETHER):
        some = left[at : at + _REFINED_TOGETHER]
        unsettled = halves[:, some]
        double = (
            _Likelihood(asked[:, some].astype(np.float64) + extra, favour[:, some], shift, workspace)
            if outcomes is None
            else CertainLikelihood(outcomes.of(some), shift, workspace)
        )
        _refine(double, unsettled, _MOST_ROUGH_ITERATIONS)
        halves[:, some] = unsettled
    return 2 * (halves - halves.mean(axis=0))


def _settle(single: "_Likelihood", halves: FloatArray) -> IntArray:
    """Steps in single precision, written into the half scores; the problems whose ranking they leave uncertain."""
    left, settling = np.arange(halves.shape[1]), _Settling(single, halves.astype(np.float32))
    few = _FEW * halves.shape[1]
    for iteration in range(_MOST_ROUGH_ITERATIONS):
        settling.step(iteration)
        unsettled = settling.unsettled()
        n_unsettled = np.count_nonzero(unsettled)
        if n_unsettled <= few:
            break
        if n_unsettled < _WORTH_LEAVING / 2 * len(left):
            halves[:, left] = settling.halves
            left, settling = left[unsettled], settling.of(unsettled)
            unsettled = unsettled[unsettled]
    halves[:, left] = settling.halves
    return left[unsettled]


class _Settling:
    """Half scores on their way to the optimum of some problems, in single precision.

    Let g be the gradient, L the Laplacian of the last elimination, d = g / L the step, and q the most by which a
    difference of scores can have changed since that elimination when the optimum is reached. The weights change by
    factors up to exp(q) on the way, so no difference of half scores is wrong by more than
    sqrt(g d) (exp(q) - 1) times the root of the largest resistance, itself at most the sum of 1 / pivots [Sun2019].
    """

    def __init__(self, single: "_Likelihood", halves: NDArray[np.float32]) -> None:
        self.single, self.halves = single, halves
        self.rounding = _ROUNDING * len(halves) * single.asked.sum(axis=0)
        self.drift = np.full(halves.shape[1], np.inf, dtype=np.float32)

    def of(self, some: BoolArray) -> "_Settling":
        """The same of some of the problems."""
        part = copy(self)
        part.single, part.elimination = self.single.of(some), self.elimination.of(some)
        part.halves = self.halves[:, some]
        part.rounding, part.drift = self.rounding[some], self.drift[some]
        part.openness, part.error = self.openness[some], self.error[some]
        return part

    def step(self, iteration: int) -> None:
        """A Newton step, along the curvature of a former one where that has hardly changed."""
        gradient = self.single.gradient(self.halves)
        if np.count_nonzero(self.drift > _FAR) > self.drift.size / 2:
            self.elimination = self.single.elimination()
            self.openness = (1 / self.elimination.pivots).sum(axis=0)
            self.drift = np.zeros_like(self.drift)
        step = _shortened(solve(self.elimination, gradient.copy()), iteration)
        self.halves += step
        self.drift = self.drift + 2 * (step.max(axis=0) - step.min(axis=0))
        length = np.sqrt(self.openness * np.abs(np.einsum("in,in->n", gradient, step)))
        self.error = length * np.expm1(np.minimum(self.drift + 2 * _CLOSE, _FARTHEST))

    def unsettled(self) -> BoolArray:
        """Whether two scores are so near each other that the optimum might have them in another order."""
        close = self.elimination.connected & (self.error < _CLOSE)
        if np.count_nonzero(close) < _WORTH_SORTING * close.size:
            return np.ones_like(close)
        gaps = np.diff(np.sort(self.halves, axis=0), axis=0).min(axis=0)
        return ~close | (gaps <= self.error + self.openness * self.rounding)


def _refine(likelihood: "_Likelihood | CertainLikelihood", halves: FloatArray, taken: int) -> None:
    """Steps in double precision, written into the half scores; curvatures that have hardly changed are used again."""
    left = np.arange(halves.shape[1])
    moved = np.inf
    for iteration in range(taken, MOST_ITERATIONS):
        gradient = likelihood.gradient(halves[:, left])
        if moved > _SMALL_STEP:
            elimination = likelihood.elimination()
        step = _shortened(solve(elimination, gradient.astype(np.float32)), iteration)
        halves[:, left] += step
        steps = np.abs(step).max(axis=0)
        moving, moved = steps > STEP_TOLERANCE, float(steps.max())
        if not moving.any():
            break
        if np.count_nonzero(moving) < _WORTH_LEAVING * len(left):
            left, likelihood, elimination = left[moving], likelihood.of(moving), elimination.of(moving)


class _Likelihood:
    """The likelihood of some problems, in the precision of `asked`; the arrays in it are written over at each point."""

    def __init__(self, asked: NDArray[Any], favour: NDArray[Any], shift: float, workspace: Workspace) -> None:
        self.asked, self.favour, self.shift, self.workspace = asked, favour, shift, workspace
        lists = 2 if shift else 1
        shape = (lists, len(asked) // lists, asked.shape[1])
        self._asked = asked.reshape(shape)
        self._chances, self._expected = workspace.empty(f"likelihood of {asked.dtype}", (2, *shape), asked.dtype)

    def of(self, some: BoolArray) -> "_Likelihood":
        """The same of some of the problems."""
        return _Likelihood(self.asked[:, some], self.favour[:, some], self.shift, self.workspace)

    def gradient(self, halves: NDArray[Any]) -> NDArray[Any]:
        """What the scores must add up to, (size, n_problems), at these half scores."""
        for candidate, row in enumerate(pair_rows(len(halves))):
            np.subtract(halves[candidate], halves[candidate + 1 :], out=self._chances[0, row])
        if self.shift:
            np.negative(self._chances[0], out=self._chances[1])
            self._chances -= self.shift / 2
        np.tanh(self._chances, out=self._chances)
        np.multiply(self._asked, self._chances, out=self._expected)
        expected = self._expected[0] - self._expected[1] if self.shift else self._expected[0]
        gradient: NDArray[Any] = self.favour - pair_signs(len(halves), expected.dtype) @ expected
        return gradient

    def elimination(self) -> Elimination:
        """Of the curvature where the gradient was last taken, once, in single precision.

        The weights are not, for nearly certain answers have next to none.
        """
        self._expected *= self._chances
        np.subtract(self._asked, self._expected, out=self._expected)
        if self.shift:
            self._expected[0] += self._expected[1]
        return eliminate(self._expected[0].astype(np.float32, copy=False), self.workspace)


def _in_single_precision(
    asked: NDArray[Any], favour: FloatArray, shift: float, extra: float, workspace: Workspace
) -> _Likelihood:
    single = asked.astype(np.float32, copy=False)
    if extra:
        single = np.add(single, np.float32(extra), out=workspace.empty("asked", asked.shape, np.float32))
    return _Likelihood(single, favour.astype(np.float32), shift, workspace)


def _shortened(step: NDArray[Any], iteration: int) -> NDArray[Any]:
    """As `logistic_newton.shortened`, of steps of half scores, in their precision."""
    reach = 2 * np.maximum(step.max(axis=0) - step.min(axis=0), np.float32(1e-30))
    if iteration < BOLD_ITERATIONS:
        step *= np.minimum(2 / reach, 1)
    else:
        step *= np.log1p(reach) / reach
    return step
