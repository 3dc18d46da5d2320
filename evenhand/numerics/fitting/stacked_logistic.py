"""Logistic scores of many small problems at once, by damped Newton steps.

The problems lie along the last axis. Pairs stand in the order of `np.triu_indices`, and wins are the lower candidate's.
There is one list of pairs; with a shift there are two, first those with the lower candidate shown first.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.arrays import BoolArray, FloatArray
from evenhand.numerics.fitting.laplacian_elimination import eliminate, solve
from evenhand.numerics.fitting.logistic_newton import MAX_ITERATIONS, TOLERANCE, LogisticFit, spread, trusted_share
from evenhand.numerics.pairs import number_in_pairs, pair_rows, pair_signs
from evenhand.numerics.scores import DECIMALS

LAST_STEP = 1e-6
"""The last Newton step changes no score by more than this. It leaves an error of about the square."""
_CHUNK_ELEMENTS = 1 << 17
_WORTH_DROPPING = 0.3
_LARGEST_LOG_ODDS = 700.0
"""Odds beyond this overflow."""
_CLOSE = 0.01
"""Scores are compared with each other once their differences are known to this."""
_FARTHEST_STEP = 50.0
_WEAK_RESISTANCE = 1e3
"""Double precision leaves errors of about 1e-16 times the resistance. Above this, the last step is more precise."""


def fit_stack(
    wins: FloatArray,
    losses: FloatArray,
    *,
    shift: float = 0.0,
    start: FloatArray | None = None,
    for_ranks: bool = False,
) -> LogisticFit:
    """Fit P(first wins) = sigmoid(s_first - s_second - shift) to every problem.

    wins, losses: float, (n_lists, n_pairs, n_problems). May be fractions. Both are needed: the difference of counts and
    wins is inexact if answers are nearly certain. The pairs of each problem connect its candidates.
    start: float, (size, n_problems). Initial scores; default: 0.
    for_ranks: stop fitting a problem once its candidates can no longer change places. Scores are then approximate.
    """
    n_pairs, n_problems = wins.shape[1:]
    scores = np.zeros((number_in_pairs(n_pairs), n_problems)) if start is None else start.copy()
    converged, resistances = np.zeros(n_problems, dtype=bool), np.zeros(n_problems)
    width = max(1, _CHUNK_ELEMENTS // n_pairs)
    won, lost = (wins, losses) if shift else (_total(wins)[None], _total(losses)[None])
    for at in range(0, n_problems, width):
        some = slice(at, at + width)
        fit, resistances[some] = _fit_chunk(won[..., some], lost[..., some], shift, scores[:, some], for_ranks)
        scores[:, some], converged[some] = fit.scores, fit.converged
    weak = np.flatnonzero(resistances > _WEAK_RESISTANCE)
    if not for_ranks and weak.size:
        scores[:, weak] = _polished(wins[..., weak], losses[..., weak], scores[:, weak], shift)
    return LogisticFit(scores - scores.mean(axis=0), converged)


def _fit_chunk(
    wins: FloatArray, losses: FloatArray, shift: float, start: FloatArray, for_ranks: bool
) -> tuple[LogisticFit, FloatArray]:
    """Step until every problem is done. Problems that are done leave the stack, many at a time.

    Returns also the sum of 1 / pivots of each problem before its last step, (n_problems,).
    """
    scores, current, resistances = np.empty_like(start), start, np.empty(start.shape[1])
    converged, left = np.zeros(start.shape[1], dtype=bool), np.arange(start.shape[1])
    done = converged
    for iteration in range(MAX_ITERATIONS):
        gradient, weights = _derivatives(wins, losses, current, shift)
        elimination = eliminate(weights)
        step = solve(elimination, gradient.copy())
        reach = spread(step)
        share = trusted_share(reach, iteration)
        resistance = (1 / elimination.pivots).sum(axis=0)
        current = current + share * step
        is_flat = np.abs(gradient).max(axis=0) <= TOLERANCE
        done = done | (is_flat & (np.abs(step).max(axis=0) <= LAST_STEP))
        if for_ranks:
            length = np.sqrt(resistance * np.abs(np.einsum("in,in->n", gradient, step)))
            done |= elimination.connected & _is_settled(current, _largest_error(length, reach, share))
        if done.all():
            break
        if np.count_nonzero(done) >= _WORTH_DROPPING * len(left):
            scores[:, left], converged[left], resistances[left], going = current, done, resistance, ~done
            left, current, resistance = left[going], current[:, going], resistance[going]
            wins, losses, done, is_flat = wins[..., going], losses[..., going], done[going], is_flat[going]
    scores[:, left], converged[left], resistances[left] = current, done | is_flat, resistance
    return LogisticFit(scores, converged), resistances


def _polished(wins: FloatArray, losses: FloatArray, scores: FloatArray, shift: float) -> FloatArray:
    """Take one more step with the gradient in long double, where comparisons barely tie the candidates together.

    Sums of large and tiny terms lose the tiny ones, on which these scores depend: exact ties came out 1e-10 apart. For
    the same reason wins, losses: float, (2, n_pairs, n_problems), are not summed over both orders.
    """
    gradient, weights = _derivatives(wins, losses, scores.astype(np.longdouble), shift)
    step = solve(eliminate(weights.astype(float)), gradient.astype(float))
    return scores + trusted_share(spread(step), MAX_ITERATIONS) * step


def _derivatives(
    wins: FloatArray, losses: FloatArray, scores: NDArray[np.floating[Any]], shift: float
) -> tuple[FloatArray, FloatArray]:
    """Return the gradient, (size, n_problems), and the weights of pairs in the negative Hessian, (n_pairs, n_problems).

    Nothing near 1 is subtracted from 1. Rounding would change scores of nearly certain answers in the ninth decimal.
    """
    chances = _odds(scores, (shift, -shift) if len(wins) == 2 else (0.0,))  # of the higher candidate
    of_lower = 1 / (1 + chances)
    chances *= of_lower
    weights = (wins + losses) * of_lower
    weights *= chances
    chances *= wins
    of_lower *= losses
    chances -= of_lower
    return pair_signs(len(scores)) @ _total(chances), _total(weights)


def _odds(scores: NDArray[np.floating[Any]], handicaps: Sequence[float]) -> NDArray[np.floating[Any]]:
    """Return the odds that the higher candidate wins, (n_handicaps, n_pairs, n_problems), at most exp(700).

    handicaps: of the lower candidate in each list of pairs.
    """
    rows = pair_rows(len(scores))
    odds = np.empty((len(handicaps), rows[-1].stop, scores.shape[1]), scores.dtype)
    farthest = 2 * np.abs(scores).max(initial=0.0) + max(map(abs, handicaps))
    if farthest < _LARGEST_LOG_ODDS:  # one exponential for each candidate takes less time than one for each pair
        strengths, weaknesses = np.exp(scores), np.exp(-scores)
        for lower, row in enumerate(rows):
            np.multiply(strengths[lower + 1 :], weaknesses[lower], out=odds[-1, row])
        for one, handicap in zip(odds, handicaps, strict=True):
            np.multiply(odds[-1], np.exp(handicap), out=one)
        return odds
    for lower, row in enumerate(rows):
        np.subtract(scores[lower + 1 :], scores[lower], out=odds[-1, row])
    for one, handicap in zip(odds, handicaps, strict=True):
        np.add(odds[-1], handicap, out=one)
    return np.exp(np.minimum(odds, _LARGEST_LOG_ODDS, out=odds), out=odds)


def _total(lists: NDArray[np.floating[Any]]) -> FloatArray:
    return lists[0] if len(lists) == 1 else lists.sum(axis=0)


def _largest_error(length: FloatArray, reach: FloatArray, share: FloatArray) -> FloatArray:
    """Bound the error that a difference of two scores has after a share of a Newton step, (n_problems,).

    Let g be the gradient, d the step, r the largest resistance, which is at most the sum of 1 / pivots, and q the
    farthest that a difference still moves to the optimum. Weights change by factors up to exp(q) on that way
    [Sun2019]. So no difference is wrong by more than sqrt(r g d) (exp(q) - 1). Infinite if that is above _CLOSE.

    length: float, (n_problems,). sqrt(r g d). reach, share: the `spread` of the step, and how much of it is taken.
    """
    error = length * (np.expm1(np.minimum(reach + _CLOSE, _FARTHEST_STEP)) + 1 - share)
    return np.where(error < _CLOSE, error, np.inf)


def _is_settled(scores: FloatArray, error: FloatArray) -> BoolArray:
    """Return True for problems in which no two scores are nearer than the error, (n_problems,)."""
    gaps = np.diff(np.sort(scores, axis=0), axis=0).min(axis=0)
    settled: BoolArray = gaps > error + 10.0**-DECIMALS
    return settled
