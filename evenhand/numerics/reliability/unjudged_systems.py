"""Win rates of systems that no person judged, with split-conformal intervals [Lei2018].

The judge is calibrated on people's preferences, as a jury of one (`judge_weights`). A residual is the distance of its
win rate of a system from people's, with this system left out of the calibration. If systems are exchangeable, the
residual of a further one is at most the k-th smallest of n with probability k / (n + 1).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from evenhand.numerics.arrays import FloatArray, IntArray, counts, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import NotConverged, Undefined
from evenhand.numerics.fitting.logistic_newton import MAX_ITERATIONS, trusted_share
from evenhand.numerics.intervals import COVERAGE
from evenhand.numerics.juries.judge_weights import NO_PREFERENCE, judge_logits, most_likely_weights, position_biases
from evenhand.numerics.selection.pair_selection import OrderedPairs

FEWEST_SYSTEMS = 3
NOTHING_LEFT = "without one of the systems, people prefer no candidate that the judge compared"
MOST_LEARNED_FROM = 100_000
"""The calibration uses at most so many comparisons with a preference, drawn at random."""
_SEED, _TOLERANCE = 20261129, 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class SystemScores:
    """Shares of a system's comparisons that it wins, a tie counting half.

    people, judge: float, (n_systems,). people: NaN for systems that no person judged. judge: mean probability.
    counted: int, (n_systems,). Comparisons of the judge.
    """

    people: FloatArray
    judge: FloatArray
    counted: IntArray

    @property
    def residuals(self) -> FloatArray:
        """Return the distances of the systems that people judged, (n_judged,), the smallest first."""
        apart = np.abs(self.people - self.judge)
        return np.sort(apart[~np.isnan(apart)])


@dataclass(frozen=True, slots=True)
class HalfWidth:
    """value: half the width of an interval. level: probability with which it holds; below 95 % of too few systems."""

    value: float
    level: float

    @property
    def is_enough(self) -> bool:
        return self.level >= COVERAGE


def half_width(residuals: FloatArray) -> HalfWidth:
    """Return the ⌈0.95 (n + 1)⌉-th smallest residual, or the largest where there are fewer. residuals: rising, (n,)."""
    n = len(residuals)
    rank = int(np.ceil(round(COVERAGE * (n + 1), 9)))
    return HalfWidth(float(residuals[min(rank, n) - 1]), COVERAGE if rank <= n else n / (n + 1))


def system_scores(
    pairs: Comparisons, sides: OrderedPairs, preferences: FloatArray, outcomes: FloatArray, *, n_systems: int
) -> SystemScores:
    """Return the win rates of systems, by people and by the judge, calibrated without people's answers on the system.

    pairs: comparisons of two systems, all answered. sides: their systems. preferences: float, (n,), from
    `human_preferences`. outcomes: float, (n,), as preferences, but 1/2 where people see a tie.

    Raises Undefined if people judged fewer than three systems, or if no preference is left to calibrate on.
    """
    logits, known = judge_logits(pairs.p_first[None]), np.flatnonzero(~np.isnan(preferences))
    centred = logits[0] - position_biases(pairs, logits)[0][0]
    people = _shares(sides, outcomes, n_systems)
    if (number := np.count_nonzero(~np.isnan(people))) < FEWEST_SYSTEMS:
        raise Undefined(f"people judged {number} of the systems; residuals need {FEWEST_SYSTEMS}")
    if not len(known):
        raise Undefined(NO_PREFERENCE)
    if len(known) > MOST_LEARNED_FROM:
        known = np.random.default_rng(_SEED).choice(known, MOST_LEARNED_FROM, replace=False)
    signed, first, second = (2 * preferences[known] - 1) * centred[known], sides.first[known], sides.second[known]
    sided, of_side = np.concatenate([centred, -centred]), np.concatenate([sides.first, sides.second])
    counted = counts(of_side, n_systems)
    own = np.split(sided[np.argsort(of_side, kind="stable")], np.cumsum(counted)[:-1])
    weight, judge = float(most_likely_weights(signed[None])[0][0]), np.empty(n_systems)
    for system, logits_of in enumerate(own):
        others = (first != system) & (second != system)
        fitted = weight if others.all() else _weight(signed[others], weight)
        judge[system] = expit(fitted * logits_of).mean()
    return SystemScores(people, judge, counted)


def _weight(signed: FloatArray, start: float) -> float:
    """Return the judge's weight, by Newton's method. signed: float, (n,). Its log-odds towards people's choices."""
    if not len(signed):
        raise Undefined(NOTHING_LEFT)
    weight, squares = start, signed**2
    for iteration in range(MAX_ITERATIONS):
        unlikely = expit(-weight * signed)
        step = (signed @ unlikely - (weight - 1)) / (squares @ (unlikely * (1 - unlikely)) + 1)
        weight += trusted_share(abs(step), iteration) * step
        if abs(step) < _TOLERANCE:
            return float(weight)
    raise NotConverged("the weight of the judge does not settle")


def _shares(sides: OrderedPairs, outcomes: FloatArray, n_systems: int) -> FloatArray:
    known = ~np.isnan(outcomes)
    sides_of, won = np.concatenate([sides.first[known], sides.second[known]]), outcomes[known]
    n = counts(sides_of, n_systems)
    return np.where(n > 0, sums(sides_of, np.concatenate([won, 1 - won]), n_systems) / np.maximum(n, 1), np.nan)
