"""A cascade of judges: the first answers where it is sure, the next where it is not, and people answer the rest.

Each judge's sureness becomes a chance of being right, learned on the contexts that order the thresholds. One threshold
of that chance serves all judges. It is tested on the other contexts like that of one judge (`guaranteed_threshold`).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from evenhand.numerics.accuracy import NO_TRUTH
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import pooled_share
from evenhand.numerics.reliability.guaranteed_threshold import (
    THRESHOLD_SHARES,
    NoGuarantee,
    log_capital,
    means_of_contexts,
    no_guarantee,
    ordering_contexts,
    require_contexts,
)

LEAST_DOUBT = 1e-6
"""Probabilities are taken as at least this far from 0 and 1."""
STEPS = 50


@dataclass(frozen=True, slots=True, eq=False)
class Cascade:
    """The most lenient rule whose risk is at most alpha, with the stated confidence.

    sureness: of each judge, from which on it answers; inf where it never does. by: int, (n,). The judge that answers
    each comparison; -1 for people. answered, error: as in `GuaranteedThreshold`, on the testing contexts.
    """

    sureness: FloatArray
    by: IntArray
    answered: Figure
    error: Figure
    ordering_contexts: int
    testing_contexts: int


def guaranteed_cascade(
    pairs: Comparisons, p_first: FloatArray, right: FloatArray, *, alpha: float, confidence: float
) -> Cascade:
    """Return the most lenient cascade that passes its test.

    pairs: the comparisons. p_first: float, (n_judges, n). Cheapest judge first, NaN where it has no probability.
    right: float, (n,), from `human_preferences`; NaN counts nowhere. alpha, confidence: between 0 and 1.

    Raises NoGuarantee, with the number of contexts that would do.
    """
    known = ~np.isnan(right)
    if not known.any():
        raise NoGuarantee(NO_TRUTH)
    of_known, truth = pairs.select(known), right[known]
    require_contexts(int(np.unique(of_known.contexts).size), alpha, confidence)
    ordering = ordering_contexts(of_known)[of_known.contexts]
    learned = [_line(p[known][ordering], truth[ordering]) for p in p_first]
    chances = np.stack([_chances(p, *line) for p, line in zip(p_first, learned, strict=True)])
    wrong = np.abs(decide(np.nan_to_num(p_first[:, known])) - truth)

    def excess(threshold: float, chosen: BoolArray) -> FloatArray:
        by = _answering(chances[:, known], threshold)
        values = np.where(by < 0, 0.0, wrong[by, np.arange(len(by))] - alpha)
        return means_of_contexts(of_known, values, chosen)

    testing = np.unique(of_known.contexts[~ordering]).size
    strictest_first = _thresholds(chances[:, known][:, ordering])
    capitals = [log_capital(np.resize(excess(one, ordering), testing), alpha, confidence) for one in strictest_first]
    passed, first = None, strictest_first[len(capitals) - 1 - int(np.argmax(capitals[::-1]))]
    for threshold in (one for one in strictest_first if one <= first):
        if log_capital(excess(threshold, ~ordering), alpha, confidence) < -np.log(1 - confidence):
            break
        passed = threshold
    if passed is None:
        by = _answering(chances[:, known], first)
        share = float(wrong[by, np.arange(len(by))][by >= 0].mean())
        raise no_guarantee(share, excess(first, np.ones(len(truth), dtype=bool)), alpha, confidence)
    by = _answering(chances, passed)
    own = by[known]
    answers, tested = own >= 0, ~ordering
    errors = np.where(answers, wrong[own, np.arange(len(own))], np.nan)
    contexts, n = of_known.contexts[tested], of_known.n_contexts
    return Cascade(
        np.array([_sureness_at(passed, *line) for line in learned]),
        by,
        pooled_share(contexts, answers[tested].astype(np.float64), n, if_empty=NO_TRUTH),
        pooled_share(contexts, errors[tested], n, if_empty=NO_TRUTH),
        np.unique(of_known.contexts[ordering]).size,
        testing,
    )


def _thresholds(chances: FloatArray) -> list[float]:
    """Return the chances from which on any judge, or one of them, answers each share, and 0; strictest first."""
    kinds = [row[row >= 0] for row in (chances.max(axis=0), *chances)]
    shares = [1 - share for share in THRESHOLD_SHARES]
    quantiles = [np.quantile(row, shares, method="lower") for row in kinds if len(row)]
    return sorted({0.0, *np.concatenate([np.zeros(0), *quantiles]).tolist()}, reverse=True)


def _answering(chances: FloatArray, threshold: float) -> IntArray:
    """Return the first judge whose chance of being right reaches the threshold, (n,); -1 for none."""
    sure = chances >= threshold
    return np.where(sure.any(axis=0), sure.argmax(axis=0), -1)


def _line(p_first: FloatArray, right: FloatArray) -> tuple[float, float]:
    """Return intercept and slope, at least 0, of the log-odds of being right by the log-odds of the decision.

    Both have a weak normal prior, so that they are finite.
    """
    has = ~np.isnan(p_first)
    sides = np.stack([np.ones(int(has.sum())), _log_odds(p_first[has])])
    is_right = 1 - np.abs(decide(p_first[has]) - right[has])
    line, prior = np.zeros(2), np.eye(2) / 10
    for _ in range(STEPS):
        expected = expit(line @ sides)
        step = np.linalg.solve(
            (sides * (expected * (1 - expected))) @ sides.T + prior, sides @ (is_right - expected) - prior @ line
        )
        line = line + step
    if line[1] < 0 and has.any():  # surer is not better: its sureness says nothing
        share = (is_right.sum() + 0.5) / (len(is_right) + 1)
        return float(logit(share)), 0.0
    return float(line[0]), float(line[1])


def _chances(p_first: FloatArray, intercept: float, slope: float) -> FloatArray:
    """Return the chance that each decision is right, (n,); -1 without a probability."""
    return np.where(np.isnan(p_first), -1.0, expit(intercept + slope * _log_odds(np.nan_to_num(p_first))))


def _log_odds(p_first: FloatArray) -> FloatArray:
    return np.asarray(logit(np.clip(0.5 + np.abs(p_first - 0.5), 0.5, 1 - LEAST_DOUBT)))


def _sureness_at(threshold: float, intercept: float, slope: float) -> float:
    """Return the least sureness whose chance of being right reaches the threshold; inf where none does."""
    if expit(intercept) >= threshold:
        return 0.0
    least = (logit(threshold) - intercept) / slope if slope > 0 else np.inf
    return float(expit(least) - 0.5) if least <= logit(1 - LEAST_DOUBT) else np.inf
