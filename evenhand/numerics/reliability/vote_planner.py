"""How many pairs give an interval of a wanted width, or find a difference of two judges? Simulated from a pilot.

A simulation draws the contexts of another pilot with replacement, then contexts from these, and votes on their pairs.
The votes of a pair follow a distribution drawn from its posterior: few votes leave much open. Its prior is estimated
from the pilot, by how often two votes agree. The width is that of the 95 % interval over contexts. The contexts that
find a difference follow from its variance between contexts, by the power of Student's t-test.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import nctdtrit

from evenhand.numerics.arrays import FloatArray, IntArray, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import Spread, share_figure, student_quantile
from evenhand.numerics.votes import Votes

SIMULATIONS, PLANNER_SEED = 300, 20261124
USUAL_WIDTH = 0.1
HOLDS_IN = 0.98
"""A forecast width is large enough for this share of the simulations. With 0.95, it failed in 1 of 12 campaigns."""
FEWEST_PILOT_PAIRS, FEWEST_PILOT_CONTEXTS = 10, 5
MOST_PLANNED_CONTEXTS = 100_000
FEWEST_TESTED_CONTEXTS, POWER = 6, 0.8
"""Fewer contexts give no p-value below 0.05. A planned difference is found in this share of the studies."""
MOST_SIMULATED_CONTEXTS = 400
"""Wider plans are scaled from this number: widths fall with the square root of the number of contexts."""
_STEPS, _PRECISION = 6, 0.03
_NO_ROUGHNESS = 1e-6


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
    credits: float, (n_pairs, 2). Credits of the judge if people prefer the lower or the higher candidate, or those of
    one judge minus those of another; None to plan for the agreement between people.
    answers: float, (n_pairs,). Answers of the judge.
    """

    contexts: IntArray
    outcomes: FloatArray
    credits: FloatArray | None = None
    answers: FloatArray | None = None
    is_known: bool = False
    is_difference: bool = False

    @property
    def n_contexts(self) -> int:
        return len(np.unique(self.contexts))


@dataclass(frozen=True, slots=True)
class PlannedVotes:
    """Enough votes for a wanted width.

    contexts, pairs, votes: their numbers. width: 98 of 100 simulations stay below; of a difference, the expected.
    """

    contexts: int
    pairs: int
    votes_per_pair: int
    votes: int
    width: float


@dataclass(frozen=True, slots=True)
class Variation:
    """How much the difference of two judges varies between contexts.

    variance: of the difference, times the number of contexts. degrees_of_freedom: of its estimate from the pilot.
    answers: that count in a context, on average.
    """

    variance: float
    degrees_of_freedom: float
    answers: float

    def error(self, contexts: int) -> float:
        """Return the standard error of the difference."""
        return float(np.sqrt(self.variance / contexts))

    def least_found(self, contexts: int) -> float:
        """Return the least difference that the sign-flip test finds in 80 of 100 studies, averaged over pilots.

        With a rough estimate of the variance, the difference in standard errors follows the noncentral t distribution.
        The test counts sums as large as the observed one, too, which takes about one answer from the difference.
        """
        reach = nctdtrit(self.degrees_of_freedom, student_quantile(contexts - 1), POWER)
        return float(reach * self.error(contexts) + 1 / (contexts * self.answers))


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


def pilot_of_difference(one: PilotPairs, other: PilotPairs) -> PilotPairs:
    """Return the pairs of two judges, which both answered the same comparisons, with their difference."""
    assert one.credits is not None
    assert other.credits is not None
    return replace(one, credits=one.credits - other.credits, is_difference=True)


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
    campaigns = _simulations(pilot, simulated, votes_per_pair, rng)
    _, credits, counted = (np.stack(one, axis=1) for one in zip(*campaigns, strict=True))
    ends = Spread.of(credits, counted).wilson()
    widths = [np.inf if low is None or high is None else high - low for low, high in ends]
    return np.array(widths) * np.sqrt(simulated / n_contexts)


def plan_votes(pilot: PilotPairs, *, width: float, votes_per_pair: int) -> PlannedVotes:
    """Return the smallest number of contexts and pairs whose forecast width is at most `width`.

    Contexts have as many pairs as in the pilot, on average. Raises TooFewVotes and OutOfReach.
    """
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


def plan_difference(pilot: PilotPairs, *, difference: float, votes_per_pair: int) -> PlannedVotes:
    """Return the smallest number of contexts that finds a difference in 80 of 100 studies, by a test at 0.05.

    pilot: of two judges. With one judge, the other is thought to be as accurate, with errors of its own.

    Raises TooFewVotes and OutOfReach.
    """
    _require_enough(pilot)
    variation = _variation(pilot, votes_per_pair)
    numbers = range(FEWEST_TESTED_CONTEXTS, MOST_PLANNED_CONTEXTS + 1)
    at = bisect_left(numbers, True, key=lambda contexts: variation.least_found(contexts) <= difference)
    if at == len(numbers):
        raise OutOfReach(f"no number of contexts up to {MOST_PLANNED_CONTEXTS:,} finds this difference")
    contexts = numbers[at]
    width = 2 * student_quantile(contexts - 1) * variation.error(contexts)
    return _planned(pilot, contexts, votes_per_pair, float(width))


def _variation(pilot: PilotPairs, votes_per_pair: int) -> Variation:
    """Estimate how much a difference varies between contexts, from simulated votes on each context of the pilot."""
    rng = np.random.default_rng([PLANNER_SEED, votes_per_pair])
    studies = _simulations(pilot, pilot.n_contexts, votes_per_pair, rng)
    contexts, credits, counted = (np.concatenate(one) for one in zip(*studies, strict=True))
    answers = counted.mean()
    squares = ((credits - credits.sum() / counted.sum() * counted) / answers) ** 2
    of_contexts = sums(contexts, squares, pilot.n_contexts) / np.bincount(contexts, minlength=pilot.n_contexts)
    mean, of_mean = of_contexts.mean(), of_contexts.var(ddof=1) / pilot.n_contexts
    if not mean > 0:
        raise TooFewVotes("the judges differ on no pair of the pilot")
    variance = mean * pilot.n_contexts / (pilot.n_contexts - 1) * (1 if pilot.is_difference else 2)
    degrees_of_freedom = 2 / max(of_mean / mean**2, _NO_ROUGHNESS)
    return Variation(float(variance), float(degrees_of_freedom), float(answers))


def _next_number(contexts: int, ratio: float) -> int:
    """Return the number of contexts to try next: widths fall with the square root of the number."""
    wanted = contexts * min(ratio, 100.0) ** 2 * (1.01 if ratio > 1 else 1.0)
    return int(min(MOST_PLANNED_CONTEXTS, max(FEWEST_PILOT_CONTEXTS, np.ceil(wanted))))


def _forecast(pilot: PilotPairs, contexts: int, votes_per_pair: int) -> PlannedVotes:
    rng = np.random.default_rng([PLANNER_SEED, contexts, votes_per_pair])
    widths = simulated_widths(pilot, n_contexts=contexts, votes_per_pair=votes_per_pair, rng=rng)
    return _planned(pilot, contexts, votes_per_pair, float(np.quantile(widths, HOLDS_IN, method="higher")))


def _planned(pilot: PilotPairs, contexts: int, votes_per_pair: int, width: float) -> PlannedVotes:
    pairs = int(np.ceil(contexts * len(pilot.contexts) / pilot.n_contexts))
    return PlannedVotes(contexts, pairs, votes_per_pair, pairs * votes_per_pair, width)


def _pilot(
    keys: IntArray, contexts: IntArray, outcomes: FloatArray, judge: Comparisons | None, *, is_known: bool = False
) -> PilotPairs:
    order = np.argsort(contexts, kind="stable")
    keys, contexts, outcomes = keys[order], contexts[order], outcomes[order]
    if judge is None:
        return PilotPairs(contexts, outcomes, is_known=is_known)
    judged, pair = judge.unordered_pairs
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


def _simulations(
    pilot: PilotPairs, n_contexts: int, votes_per_pair: int, rng: np.random.Generator
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Yield the context of the pilot, the sum of credits and their number in each context, of each simulation."""
    _, starts, sizes = np.unique(pilot.contexts, return_index=True, return_counts=True)
    of_pilot = np.column_stack([pilot.outcomes, *_agreement(pilot.outcomes)])
    for _ in range(SIMULATIONS):
        pilot_again = rng.integers(len(starts), size=len(starts))  # another pilot would have had other contexts
        drawn = pilot_again[rng.integers(len(starts), size=n_contexts)]
        sizes_drawn = sizes[drawn]
        ends = np.cumsum(sizes_drawn)
        context = np.repeat(np.arange(n_contexts), sizes_drawn)
        pairs = np.repeat(starts[drawn] - ends + sizes_drawn, sizes_drawn) + np.arange(len(context))
        seen = np.repeat(np.bincount(pilot_again, minlength=len(starts)), sizes)
        p_of_outcomes = pilot.outcomes[pairs] if pilot.is_known else _probabilities(of_pilot, pairs, seen, rng)
        votes = rng.multinomial(votes_per_pair, p_of_outcomes).astype(np.float64)
        credits, counted = _agreement(votes) if pilot.credits is None else _accuracy(pilot, pairs, votes)
        yield drawn, sums(context, credits, n_contexts), sums(context, counted, n_contexts)


def _probabilities(of_pilot: FloatArray, pairs: IntArray, seen: IntArray, rng: np.random.Generator) -> FloatArray:
    """Draw the probabilities of the three outcomes of each pair, (n, 3). seen: times that a pair is in the pilot.

    of_pilot: (n_pairs, 5). The votes for each outcome, the agreeing couples of votes, and all couples.
    """
    drawn = rng.standard_gamma(of_pilot[pairs, :3] + _prior(*(seen @ of_pilot)))
    total = _row_sums(drawn)[:, None]
    if (total > 0).all():
        return np.asarray(drawn / total)
    return np.where(total > 0, drawn / np.where(total > 0, total, 1), [0.5, 0.0, 0.5])


def _prior(first: float, ties: float, second: float, agreeing: float, couples: float) -> FloatArray:
    """Return the parameters of the distribution of a pair's probabilities, (3,), by the method of moments.

    They add up to less, the more often two votes on a pair agree; to 1 where no pair has two votes.
    """
    votes = first + ties + second
    side = (first / votes + second / votes) / 2  # which has the lower number means nothing
    shares = np.array([side, ties / votes, side])
    by_chance = float(shares @ shares) * couples
    sum_of_parameters = (couples - agreeing) / max(agreeing - by_chance, 1e-3 * couples) if couples else 1.0
    return np.asarray(shares * max(sum_of_parameters, 1e-3))


def _accuracy(pilot: PilotPairs, pairs: IntArray, votes: FloatArray) -> tuple[FloatArray, FloatArray]:
    assert pilot.credits is not None
    assert pilot.answers is not None
    total, credits = _row_sums(votes), pilot.credits[pairs]
    lower, higher = 2 * votes[:, 0] > total, 2 * votes[:, 2] > total
    return lower * credits[:, 0] + higher * credits[:, 1], (lower | higher) * pilot.answers[pairs]


def _agreement(votes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the number of agreeing couples of votes on each pair, and of all couples."""
    total = _row_sums(votes)
    return _row_sums(votes * (votes - 1) / 2), total * (total - 1) / 2


def _row_sums(rows: FloatArray) -> FloatArray:
    """Return the sum of each row of three, (n,), to the last digit of `sum(axis=1)`, in a third of its time."""
    return np.asarray(rows[:, 0] + rows[:, 1] + rows[:, 2])
