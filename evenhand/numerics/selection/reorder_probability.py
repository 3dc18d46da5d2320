"""How likely two candidates would change order if all remaining pairs of their context were asked.

The model is the Gaussian expert [Liusie2024b] with a position bias b:

    p_first - 1/2 = b + score of first - score of second + error,    errors independent, with variance v.

Scores are drawn from a normal distribution whose variance is estimated from the scores so far. So the difference of
two candidates that look different after few answers is expected to shrink with more of them. Given the answers so far,
the least-squares scores after all pairs have been asked are normal. Their variance is zero once all pairs are answered.
v is estimated, so normal becomes Student's t. docs/reference/stopping.md has the formulas. The idea of asking by the
probability of reordering is from [Fathullah2025].
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import stdtr

from evenhand.numerics.arrays import BoolArray, FloatArray

PRIOR_VARIANCE = 1 / 12
"""Variance of an answer that is uniform in [0, 1]: the least that one further observation is thought to have."""
STOPPING_MARGIN = 1.1
"""A context stops when its answers look clear, so slightly more pairs change order: with 1, up to 0.107 at 0.1."""
_RANK_TOLERANCE, _LEAST_SPREAD = 1e-9, 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class FittedScores:
    """The least-squares scores of a context.

    scores: float, (n,), with mean zero. inverse: float, (n, n). A, without the variance.
    variance: of the errors, v. degrees_of_freedom: of its estimate.
    """

    scores: FloatArray
    inverse: FloatArray
    variance: float
    degrees_of_freedom: int


@dataclass(frozen=True, slots=True, eq=False)
class Reordering:
    """The change of order of each two candidates, if all remaining pairs were asked.

    probabilities: float, (n, n). variances: float, (n, n). Of the difference of their scores.
    distances: float, (n, n). Expected difference of their scores, in standard deviations; 0 if it is turned round.
    """

    probabilities: FloatArray
    variances: FloatArray
    distances: FloatArray

    @property
    def share(self) -> float:
        """Return the expected share of pairs of candidates that would change order."""
        return STOPPING_MARGIN * float(self.probabilities[np.triu_indices(len(self.probabilities), 1)].mean())


def fit_scores(answers: FloatArray) -> FittedScores | None:
    """Fit scores and position bias; None if the answers do not determine both.

    answers: float, (n, n). p_first of each ordered pair; NaN if it has no answer.
    """
    known = ~np.isnan(answers)
    inverse = inverse_information(known)
    if inverse is None:
        return None
    n, number = len(answers), int(known.sum())
    above_half = np.where(known, answers - 0.5, 0.0)
    balance = known.sum(axis=1) - known.sum(axis=0)
    won = above_half.sum(axis=1) - above_half.sum(axis=0)
    mean = above_half.sum() / number
    scores = inverse @ (won - balance * mean)
    bias = mean - balance @ scores / number
    errors = np.where(known, above_half - bias - (scores[:, None] - scores), 0.0)
    degrees = max(number - n, 0) + 1
    prior = max(PRIOR_VARIANCE, (above_half**2).sum() / number)  # of choices 1/4
    return FittedScores(scores, inverse, float(((errors**2).sum() + prior) / degrees), degrees)


def information(known: BoolArray) -> FloatArray:
    """Return the information about scores beside a bias, (n, n). known: bool, (n, n). Ordered pairs with an answer."""
    played = known.astype(np.float64) + known.T
    first, second = known.sum(axis=1), known.sum(axis=0)
    balance = first - second
    return np.asarray(np.diag(first + second) - played - balance[:, None] * balance / first.sum())


def inverse_information(known: BoolArray) -> FloatArray | None:
    """Return the pseudo-inverse of `information`; None if it is incomplete."""
    if known.sum() < len(known):
        return None
    values, vectors = np.linalg.eigh(information(known))
    if values[1] < _RANK_TOLERANCE * values[-1]:  # the first is that of equal scores, 0
        return None
    return np.asarray((vectors[:, 1:] / values[1:]) @ vectors[:, 1:].T)


def reordering(fitted: FittedScores, known: BoolArray, remaining: BoolArray) -> Reordering:
    """Return how likely each two candidates change order once the remaining pairs are answered.

    known, remaining: bool, (n, n). Ordered pairs with an answer, and those that can still be asked.
    """
    n = len(known)
    after_all, complete = _once_all_are_asked((known | remaining).tobytes(), n)
    if complete is None or not remaining.any():
        return Reordering(np.zeros((n, n)), np.zeros((n, n)), np.full((n, n), np.inf))
    now = information(known)
    won = now @ fitted.scores
    rest = after_all - now
    shrinking = np.linalg.inv(now + np.eye(n) * fitted.variance / _spread(fitted))
    means = complete @ (won + rest @ shrinking @ won)
    covariance = complete @ (rest + rest @ shrinking @ rest) @ complete
    variances = np.maximum(effective_resistances(covariance) * fitted.variance, 0.0)
    signs = np.sign(fitted.scores[:, None] - fitted.scores)
    gaps = np.maximum((means[:, None] - means) * signs, 0.0)
    changes = variances > _RANK_TOLERANCE * fitted.variance
    distances = np.full((n, n), np.inf)
    distances[changes] = gaps[changes] / np.sqrt(variances[changes])
    return Reordering(stdtr(fitted.degrees_of_freedom, -distances), variances, distances)


@lru_cache(maxsize=8)
def _once_all_are_asked(pairs: bytes, n: int) -> tuple[FloatArray, FloatArray | None]:
    """Return the information about scores and its inverse after all pairs: the same in every round of a context."""
    known = np.frombuffer(pairs, dtype=np.bool_).reshape(n, n)
    return information(known), inverse_information(known)


def _spread(fitted: FittedScores) -> float:
    """Return the variance of true scores: that of the scores, less what errors add to it."""
    scores, variance = fitted.scores, fitted.variance
    spread = (scores @ scores - variance * np.trace(fitted.inverse)) / (len(scores) - 1)
    return float(max(spread, _LEAST_SPREAD * variance))


def effective_resistances(inverse: FloatArray) -> FloatArray:
    """Return A_ii + A_jj - 2 A_ij of each two candidates, (n, n)."""
    diagonal = inverse.diagonal()
    return np.asarray(diagonal[:, None] + diagonal - 2 * inverse)
