"""Few human labels and many of a judge, joined into estimates that stay valid however wrong the judge is.

Prediction-powered inference with the weight of the judge tuned to the data [Angelopoulos2023b]. The labelled
comparisons must be a random sample of all comparisons of interest, the others another.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from rankings.numerics.arrays import FloatArray, IntArray
from rankings.numerics.exceptions import NotConverged, Undefined
from rankings.numerics.intervals import COVERAGE
from rankings.numerics.laplacians import pseudo_inverses
from rankings.numerics.logistic_newton import MAX_ITERATIONS, shortened

_QUANTILE = float(ndtri((1 + COVERAGE) / 2))
_TOLERANCE = 1e-10
_WIDEST = 20.0
"""Scores that differ by more, in nats, are on their way to infinity."""


@dataclass(frozen=True, slots=True)
class PoweredMean:
    """A mean with its 95 % interval.

    weight: how far the judge is trusted; 0 leaves the human labels alone.
    effective_n: how many human labels alone would have given the same standard error.
    """

    value: float
    low: float
    high: float
    standard_error: float
    weight: float
    effective_n: float


@dataclass(frozen=True, slots=True)
class PoweredScores:
    """Bradley-Terry scores, mean zero, and their standard errors, in nats, both (n_candidates,), and the weight."""

    values: FloatArray
    errors: FloatArray
    weight: float


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers on pairs of candidates of one context: first, second: int, (n,); wins: float, (n,), in [0, 1]."""

    first: IntArray
    second: IntArray
    wins: FloatArray


def powered_mean(human: FloatArray, judge_same: FloatArray, judge_other: FloatArray) -> PoweredMean:
    """The mean that people would give, such as a win rate of a system.

    human, judge_same: float, (n,). People's and the judge's answers on the same comparisons. judge_other: float, (N,).
    The judge's on others.

    Raises Undefined with fewer than two labelled comparisons, or none of the others.
    """
    n, n_other = len(human), len(judge_other)
    _check_sizes(n, n_other)
    everything = np.concatenate([judge_same, judge_other])
    spread = float(everything.var(ddof=1)) if n + n_other > 1 else 0.0
    covariance = float(np.cov(human, judge_same)[0, 1])
    weight = float(np.clip(covariance / ((1 + n / n_other) * spread), 0, 1)) if spread > 0 else 0.0
    value = weight * judge_other.mean() + (human - weight * judge_same).mean()
    error = np.sqrt(weight**2 * _variance(judge_other) / n_other + (human - weight * judge_same).var(ddof=1) / n)
    alone = human.var(ddof=1)
    effective = float(alone / error**2) if error > 0 else float(n)
    half = _QUANTILE * error
    return PoweredMean(float(value), float(value - half), float(value + half), float(error), weight, effective)


def powered_scores(human: Answers, judge_same: FloatArray, judge_other: Answers, n_candidates: int) -> PoweredScores:
    """Bradley-Terry scores that people would give; errors are from the sandwich covariance.

    judge_same: float, (n,). The judge's answers on the comparisons that people answered.

    Raises Undefined where the people's comparisons are too few or do not pin down all scores, and NotConverged.
    """
    _check_sizes(len(human.wins), len(judge_other.wins))
    here, there = _design(human, n_candidates), _design(judge_other, n_candidates)
    if np.linalg.matrix_rank(here) < n_candidates - 1:
        raise Undefined("the comparisons that people answered do not connect all candidates")
    alone = _solve(here, human.wins, judge_same, there, judge_other.wins, 0.0)
    weight = _best_weight(here, human.wins, judge_same, there, judge_other.wins, alone)
    scores = _solve(here, human.wins, judge_same, there, judge_other.wins, weight)
    covariance = _covariance(here, human.wins, judge_same, there, judge_other.wins, scores, weight)
    return PoweredScores(scores, np.sqrt(np.diag(covariance)), weight)


def _check_sizes(n: int, n_other: int) -> None:
    if n < 2:
        raise Undefined(f"an estimate needs at least two comparisons with human labels, not {n}")
    if n_other < 1:
        raise Undefined("there are no comparisons that only the judge answered")


def _variance(values: FloatArray) -> float:
    return float(values.var(ddof=1)) if len(values) > 1 else 0.0


def _design(answers: Answers, n_candidates: int) -> FloatArray:
    rows = np.arange(len(answers.wins))
    design = np.zeros((len(rows), n_candidates))
    design[rows, answers.first] = 1.0
    design[rows, answers.second] = -1.0
    return design


def _solve(
    here: FloatArray, human: FloatArray, judged: FloatArray, there: FloatArray, other: FloatArray, weight: float
) -> FloatArray:
    """Scores at which the mean gradient of people, corrected by the judge, is zero."""
    n = here.shape[1]
    scores = np.zeros(n)
    pull = here.T @ (human - weight * judged) / len(human) + weight * there.T @ other / len(other)
    for iteration in range(MAX_ITERATIONS):
        own, others = _chance(here @ scores), _chance(there @ scores)
        expected = (1 - weight) * here.T @ own / len(human) + weight * there.T @ others / len(other)
        if np.abs(pull - expected).max() <= _TOLERANCE or np.ptp(scores) > _WIDEST:
            break
        curvature = _curvature(here, there, scores, weight)
        step = np.linalg.solve(curvature + 1 / n, pull - expected)
        scores = scores + shortened(step, iteration)
    if np.abs(pull - expected).max() > _TOLERANCE or np.ptp(scores) > _WIDEST:
        raise NotConverged("the prediction-powered scores have no end: some candidates won or lost everything")
    return scores - scores.mean()


def _curvature(here: FloatArray, there: FloatArray, scores: FloatArray, weight: float) -> FloatArray:
    own, others = _chance(here @ scores), _chance(there @ scores)
    mine = here.T @ (here * (own * (1 - own))[:, None]) / len(here)
    return (1 - weight) * mine + weight * there.T @ (there * (others * (1 - others))[:, None]) / len(there)


def _best_weight(
    here: FloatArray, human: FloatArray, judged: FloatArray, there: FloatArray, other: FloatArray, scores: FloatArray
) -> float:
    """The weight that makes the sum of the scores' variances smallest, between 0 and 1."""
    inverse = pseudo_inverses(_curvature(here, there, scores, 0.0)[None])[0]
    own = _chance(here @ scores)
    people, judge = here * (human - own)[:, None] @ inverse, here * (judged - own)[:, None] @ inverse
    elsewhere = there * (other - _chance(there @ scores))[:, None] @ inverse
    covariance = sum(np.cov(people[:, i], judge[:, i])[0, 1] for i in range(here.shape[1]))
    spread = np.concatenate([judge, elsewhere]).var(axis=0, ddof=1).sum()
    return float(np.clip(covariance / ((1 + len(here) / len(there)) * spread), 0, 1)) if spread > 0 else 0.0


def _covariance(
    here: FloatArray,
    human: FloatArray,
    judged: FloatArray,
    there: FloatArray,
    other: FloatArray,
    scores: FloatArray,
    weight: float,
) -> FloatArray:
    own, others = _chance(here @ scores), _chance(there @ scores)
    corrected = here * ((human - own) - weight * (judged - own))[:, None]
    elsewhere = there * (other - others)[:, None]
    middle = np.cov(corrected.T) / len(here) + weight**2 * np.cov(elsewhere.T) / len(there)
    inverse = pseudo_inverses(_curvature(here, there, scores, weight)[None])[0]
    covariance: FloatArray = inverse @ middle @ inverse
    return covariance


def _chance(difference: FloatArray) -> FloatArray:
    return 1 / (1 + np.exp(-difference))
