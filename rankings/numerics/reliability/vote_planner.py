"""How many pairs give an interval of a wanted width? Simulated from votes, or from the answers of a judge.

A simulation draws the contexts of another pilot with replacement, then contexts from these, and votes on their pairs.
The votes of a pair follow a distribution drawn from its posterior: few votes leave much open. The width is that of a
95 % interval over contexts, by its linear approximation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankings.numerics.arrays import FloatArray, IntArray, sums
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.decisions import decide
from rankings.numerics.exceptions import Undefined
from rankings.numerics.figure import Figure
from rankings.numerics.intervals import Spread, share_figure
from rankings.numerics.votes import Votes

SIMULATIONS, PLANNER_SEED = 300, 20261124
HOLDS_IN = 0.98
"""A forecast width is large enough for this share of the simulations. With 0.95, it failed in 1 of 12 campaigns."""
FEWEST_PILOT_PAIRS, FEWEST_PILOT_CONTEXTS = 10, 5
MOST_PLANNED_CONTEXTS = 100_000
MOST_SIMULATED_CONTEXTS = 400
"""Wider plans are scaled from this number: widths fall with the square root of the number of contexts."""
_STEPS, _PRECISION = 6, 0.03


class TooFewVotes(Undefined):
    """Raised if there are too few voted pairs to simulate from."""


class OutOfReach(Undefined):
    """Raised if no number of contexts up to MOST_PLANNED_CONTEXTS gives the wanted width."""


@dataclass(frozen=True, slots=True, eq=False)
class PilotPairs:
    """Unordered pairs to simulate from.

    contexts: int, (n_pairs,). Context of each pair, in rising order.
    outcomes: float, (n_pairs, 3). Votes for the lower candidate, ties, and votes for the higher one. With `is_known`
    they are probabilities.
    credits: float, (n_pairs, 2). Credits of the judge if people prefer the lower or the higher candidate; None to plan
    for the agreement between people. answers: float, (n_pairs,). Answers of the judge.
    """

    contexts: IntArray
    outcomes: FloatArray
    credits: FloatArray | None = None
    answers: FloatArray | None = None
    is_known: bool = False

    @property
    def n_contexts(self) -> int:
        return len(np.unique(self.contexts))


@dataclass(frozen=True, slots=True)
class PlannedVotes:
    """Enough votes for a wanted width.

    contexts, pairs, votes: their numbers. expected_width: mean over simulations. width: 98 of 100 simulations stay
    below it.
    """

    contexts: int
    pairs: int
    votes_per_pair: int
    votes: int
    expected_width: float
    width: float


def pilot_of_votes(votes: Votes, judge: Comparisons | None = None) -> PilotPairs:
    """Return the pairs that people voted on, with the credits of a judge. Pairs without its answers are left out."""
    keys, first, pair = np.unique(votes.comparisons.pair_keys, return_index=True, return_inverse=True)
    outcomes = np.stack([sums(pair, votes.for_lower == value, len(keys)) for value in (1, 0.5, 0)], axis=1)
    return _pilot(keys, votes.comparisons.contexts[first], outcomes, judge)


def pilot_of_judge(people: Comparisons, judge: Comparisons | None = None) -> PilotPairs:
    """Return the pairs of a judge whose mean probabilities stand for how people would vote."""
    keys, first, pair = np.unique(people.pair_keys, return_index=True, return_inverse=True)
    p_lower = np.where(people.first < people.second, people.p_first, 1 - people.p_first)
    mean = sums(pair, p_lower, len(keys)) / np.bincount(pair, minlength=len(keys))
    outcomes = np.stack([mean, np.zeros(len(keys)), 1 - mean], axis=1)
    return _pilot(keys, people.contexts[first], outcomes, judge, is_known=True)


def pair_agreement(votes: Votes) -> Figure:
    """Return the share of agreeing couples of votes on the same pair, with its interval over contexts."""
    pilot = pilot_of_votes(votes)
    agreeing, couples = _agreement(pilot.outcomes)
    n_contexts = votes.comparisons.n_contexts
    sums_of_contexts = (sums(pilot.contexts, values, n_contexts) for values in (agreeing, couples))
    return share_figure(*sums_of_contexts, if_empty="no pair has two votes")


def simulated_widths(
    pilot: PilotPairs, *, n_contexts: int, votes_per_pair: int, rng: np.random.Generator
) -> FloatArray:
    """Return the width of the interval in each simulation, (SIMULATIONS,); infinite where nothing can be counted.

    Raises TooFewVotes if the pilot is too small.
    """
    _require_enough(pilot)
    simulated = min(n_contexts, MOST_SIMULATED_CONTEXTS)
    widths = [_width(*_simulate(pilot, simulated, votes_per_pair, rng)) for _ in range(SIMULATIONS)]
    return np.array(widths) * np.sqrt(simulated / n_contexts)


def plan_votes(pilot: PilotPairs, *, width: float, votes_per_pair: int) -> PlannedVotes:
    """Return the smallest number of contexts and pairs whose forecast width is at most `width`.

    Contexts have as many pairs as in the pilot, on average. Raises TooFewVotes and OutOfReach.
    """
    _require_enough(pilot)
    contexts, best = max(FEWEST_PILOT_CONTEXTS, pilot.n_contexts), None
    for _ in range(_STEPS):
        planned = _forecast(pilot, contexts, votes_per_pair)
        if planned.width <= width and (best is None or planned.contexts < best.contexts):
            best = planned
        ratio = planned.width / width
        if 1 - _PRECISION <= ratio <= 1 or np.isinf(ratio):
            break
        contexts = _next_number(contexts, ratio)
    if best is None:
        raise OutOfReach(f"no number of contexts up to {MOST_PLANNED_CONTEXTS:,} gives this width")
    return best


def _next_number(contexts: int, ratio: float) -> int:
    """Return the number of contexts to try next: widths fall with the square root of the number."""
    wanted = contexts * min(ratio, 100.0) ** 2 * (1.01 if ratio > 1 else 1.0)
    return int(min(MOST_PLANNED_CONTEXTS, max(FEWEST_PILOT_CONTEXTS, np.ceil(wanted))))


def _forecast(pilot: PilotPairs, contexts: int, votes_per_pair: int) -> PlannedVotes:
    rng = np.random.default_rng([PLANNER_SEED, contexts, votes_per_pair])
    widths = simulated_widths(pilot, n_contexts=contexts, votes_per_pair=votes_per_pair, rng=rng)
    pairs = int(np.ceil(contexts * len(pilot.contexts) / pilot.n_contexts))
    return PlannedVotes(
        contexts,
        pairs,
        votes_per_pair,
        pairs * votes_per_pair,
        expected_width=float(widths.mean()),
        width=float(np.quantile(widths, HOLDS_IN, method="higher")),
    )


def _pilot(
    keys: IntArray, contexts: IntArray, outcomes: FloatArray, judge: Comparisons | None, *, is_known: bool = False
) -> PilotPairs:
    order = np.argsort(contexts, kind="stable")
    keys, contexts, outcomes = keys[order], contexts[order], outcomes[order]
    if judge is None:
        return PilotPairs(contexts, outcomes, is_known=is_known)
    judged, pair = np.unique(judge.pair_keys, return_inverse=True)
    decisions = decide(judge.p_first)
    for_lower = np.where(judge.first < judge.second, decisions, 1 - decisions)
    credits = np.stack([sums(pair, for_lower, len(judged)), sums(pair, 1 - for_lower, len(judged))], axis=1)
    answers = np.bincount(pair, minlength=len(judged)).astype(np.float64)
    chosen = np.isin(keys, judged)
    at = np.searchsorted(judged, keys[chosen])
    return PilotPairs(contexts[chosen], outcomes[chosen], credits[at], answers[at], is_known)


def _require_enough(pilot: PilotPairs) -> None:
    pairs, contexts = len(pilot.contexts), pilot.n_contexts
    if pairs < FEWEST_PILOT_PAIRS or contexts < FEWEST_PILOT_CONTEXTS:
        raise TooFewVotes(
            f"{pairs} pairs of {contexts} contexts have votes that can be used; a simulation needs at least "
            f"{FEWEST_PILOT_PAIRS} pairs of {FEWEST_PILOT_CONTEXTS} contexts"
        )


def _simulate(
    pilot: PilotPairs, n_contexts: int, votes_per_pair: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the sum of credits and their number in each simulated context, (n_contexts,) each."""
    _, starts, sizes = np.unique(pilot.contexts, return_index=True, return_counts=True)
    pilot_again = rng.integers(len(starts), size=len(starts))  # another pilot would have had other contexts
    drawn = pilot_again[rng.integers(len(starts), size=n_contexts)]
    context = np.repeat(np.arange(n_contexts), sizes[drawn])
    offsets = np.arange(len(context)) - np.repeat(np.cumsum(sizes[drawn]) - sizes[drawn], sizes[drawn])
    pairs = np.repeat(starts[drawn], sizes[drawn]) + offsets
    votes = rng.multinomial(votes_per_pair, _probabilities(pilot, pairs, rng)).astype(np.float64)
    credits, counted = _agreement(votes) if pilot.credits is None else _accuracy(pilot, pairs, votes)
    return sums(context, credits, n_contexts), sums(context, counted, n_contexts)


def _probabilities(pilot: PilotPairs, pairs: IntArray, rng: np.random.Generator) -> FloatArray:
    """Draw the probabilities of the three outcomes of each pair, (n, 3)."""
    if pilot.is_known:
        return pilot.outcomes[pairs]
    shares = pilot.outcomes.sum(axis=0) / pilot.outcomes.sum()
    either = (shares[0] + shares[2]) / 2  # which candidate has the lower number means nothing
    drawn = rng.standard_gamma(pilot.outcomes[pairs] + np.array([either, shares[1], either]))
    total = drawn.sum(axis=1, keepdims=True)
    return np.where(total > 0, drawn / np.where(total > 0, total, 1), [0.5, 0.0, 0.5])


def _accuracy(pilot: PilotPairs, pairs: IntArray, votes: FloatArray) -> tuple[FloatArray, FloatArray]:
    assert pilot.credits is not None
    assert pilot.answers is not None
    total = votes.sum(axis=1)
    prefers = np.stack([2 * votes[:, 0] > total, 2 * votes[:, 2] > total], axis=1)
    return (prefers * pilot.credits[pairs]).sum(axis=1), prefers.any(axis=1) * pilot.answers[pairs]


def _agreement(votes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the number of agreeing couples of votes on each pair, and of all couples."""
    total = votes.sum(axis=1)
    return (votes * (votes - 1) / 2).sum(axis=1), total * (total - 1) / 2


def _width(correct: FloatArray, counted: FloatArray) -> float:
    """Return the width of the 95 % interval of the share sum(correct) / sum(counted); infinite where it has none."""
    [(low, high)] = Spread.of(correct[:, None], counted[:, None]).wilson()
    return float("inf") if low is None or high is None else high - low
