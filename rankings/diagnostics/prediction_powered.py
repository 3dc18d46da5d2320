"""Prediction-powered estimates of human preference between systems, from few votes and many answers of a judge."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from evenhand.numerics import Comparisons, Figure, OrderedPairs, Votes
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import value_or_why
from evenhand.numerics.reliability.judge_errors import DecidedPairs, JudgeErrors, judge_errors
from evenhand.numerics.reliability.prediction_powered import (
    Labelled,
    PoweredMean,
    PoweredScores,
    Unlabelled,
    contexts_for_width,
    mean_of_people,
    powered_mean,
    powered_scores,
    scores_of_people,
)
from rankings.diagnostics.diagnostics_row import PoweredSystem, PredictionPowered, VotesToBuy
from rankings.loading import CandidateTable
from rankings.report.figures.figure_basis import NO_VOTES

FEWEST_PAIRS, FEWEST_CONTEXTS = 20, 10
"""With fewer labels, intervals cover less than 95 %."""
MOST_SYSTEMS = 200
NO_SYSTEMS = "the run compares fewer than two known systems"
NO_PAIR_OF_SYSTEMS = "people voted on no pair of two systems that the judge answered"
NO_OTHER_PAIR = "people voted on every pair of two systems that the judge answered, so there is nothing to add"
ONE_ANSWER = "people said the same of every pair, so no interval exists"
NO_ERROR = "the estimate has no error, so no number of people would do as well"

Estimate = PoweredMean | str
"""An estimate, or the reason why it is undefined."""


@dataclass(frozen=True, slots=True, eq=False)
class SystemPairs:
    """The unordered pairs of two systems that a judge answered. Both orders of a pair count as one answer.

    names: of the systems. sides: the two systems of each pair, as indices of `names`.
    answers: shares of a win of the first, by people (0 without votes) and by the judge, and the contexts.
    voted: bool, (n,). True for pairs that people voted on.
    """

    names: Sequence[str]
    sides: OrderedPairs
    answers: Labelled
    voted: BoolArray

    @property
    def by_judge(self) -> Unlabelled:
        return Unlabelled(self.answers.judge, self.answers.contexts)

    def select(self, chosen: BoolArray) -> "SystemPairs":
        """Select pairs by mask, (n,)."""
        answers = Labelled(self.answers.human[chosen], self.answers.judge[chosen], self.answers.contexts[chosen])
        sides = OrderedPairs(self.sides.first[chosen], self.sides.second[chosen])
        return SystemPairs(self.names, sides, answers, self.voted[chosen])

    def seen_from(self, system: int) -> "SystemPairs":
        """Return the pairs of one system, which is first in all of them."""
        first, second, answers = self.sides.first, self.sides.second, self.answers
        swapped = second == system
        human, judge = (np.where(swapped, 1 - share, share) for share in (answers.human, answers.judge))
        sides = OrderedPairs(np.where(swapped, second, first), np.where(swapped, first, second))
        turned = SystemPairs(self.names, sides, Labelled(human, judge, answers.contexts), self.voted)
        return turned.select(sides.first == system)


def prediction_powered(table: CandidateTable, votes: Votes, judge: Comparisons) -> PredictionPowered:
    """Return win rates and Bradley-Terry scores of the systems, by people alone and with the judge."""
    pairs = system_pairs(table, votes, judge)
    why = _why_none(pairs, votes)
    return PredictionPowered(
        labelled_pairs=int(pairs.voted.sum()),
        labelled_contexts=len(np.unique(pairs.answers.contexts[pairs.voted])),
        other_pairs=int((~pairs.voted).sum()),
        systems=[] if why else list(_systems(pairs)),
        undefined=why or None,
    )


def votes_to_buy(table: CandidateTable, votes: Votes, judge: Comparisons, *, width: float) -> VotesToBuy:
    """Return how many contexts need votes, like those that have them, for win rates with intervals of a width.

    The systems count whose win rate has an interval now.
    """
    pairs = system_pairs(table, votes, judge)
    contexts, reasons, found = len(np.unique(pairs.answers.contexts[pairs.voted])), [_why_none(pairs, votes)], []
    for own in [] if reasons[0] else map(pairs.seen_from, range(len(pairs.names))):
        reasons.append(_why_no_rate(own) or (NO_OTHER_PAIR if own.voted.all() else ""))
        if not reasons[-1]:
            labelled, others = own.select(own.voted), own.select(~own.voted)
            found.append(contexts_for_width(labelled.answers, others.by_judge, width=width))
    if not found:
        missing = Figure.missing(next(filter(None, reasons)))
        return VotesToBuy(width, contexts, missing, missing)
    alone, powered = max(one.people for one in found), max(one.powered for one in found)
    return VotesToBuy(width, contexts, Figure(alone), Figure(powered))


def system_pairs(table: CandidateTable, votes: Votes, judge: Comparisons) -> SystemPairs:
    """Return the pairs of a judge whose candidates come from different known systems."""
    judge, numbers = judge.known(), table.system_numbers
    keys, pair = judge.unordered_pairs
    low, high = np.divmod(keys, max(judge.n_candidates, 1))
    for_lower = np.where(judge.first < judge.second, judge.p_first, 1 - judge.p_first)
    by_judge = sums(pair, for_lower, len(keys)) / np.maximum(counts(pair, len(keys)), 1)
    human, voted = _mean_votes(votes, keys)
    known = (numbers[low] >= 0) & (numbers[high] >= 0) & (numbers[low] != numbers[high])
    compared, systems = np.unique(numbers[np.concatenate([low[known], high[known]])], return_inverse=True)
    names = list(dict.fromkeys(table.systems))
    sides = OrderedPairs(systems[: known.sum()], systems[known.sum() :])
    answers = Labelled(human[known], by_judge[known], table.contexts[low[known]])
    return SystemPairs([names[number] for number in compared], sides, answers, voted[known])


def _mean_votes(votes: Votes, keys: IntArray) -> tuple[FloatArray, BoolArray]:
    """Return each pair's mean vote for the candidate of the lower number, 0 without votes, and True with votes."""
    voted, place = votes.comparisons.unordered_pairs
    at = np.searchsorted(keys, voted)
    chosen = (np.append(keys, -1)[at] == voted)[place]
    pair = at[place[chosen]]
    n = counts(pair, len(keys))
    return sums(pair, votes.for_lower[chosen], len(keys)) / np.maximum(n, 1), n > 0


def _why_none(pairs: SystemPairs, votes: Votes) -> str:
    if not len(votes):
        return NO_VOTES
    if len(pairs.names) < 2:
        return NO_SYSTEMS
    return "" if pairs.voted.any() else NO_PAIR_OF_SYSTEMS


def _systems(pairs: SystemPairs) -> Iterator[PoweredSystem]:
    people, powered = _scores(pairs)
    for system, name in enumerate(pairs.names):
        own = pairs.seen_from(system)
        n = int(own.voted.sum())
        scores = (_of_system(people, system), _of_system(powered, system))
        figures = _figures("win_rate", *_win_rates(own), n) | _figures("score", *scores, n)
        errors = _errors(own)
        figures |= {one.name: getattr(errors, one.name) for one in fields(errors)}
        yield PoweredSystem(system=name, labelled_pairs=n, other_pairs=int((~own.voted).sum()), **figures)


def _errors(own: SystemPairs) -> JudgeErrors:
    human, judge = decide(own.answers.human), decide(own.answers.judge)
    return judge_errors(DecidedPairs(human, judge, own.voted, own.answers.contexts))


def _win_rates(pairs: SystemPairs) -> tuple[Estimate, Estimate]:
    """Return the win rate of the first system, by people alone and with the judge."""
    if why := _why_no_rate(pairs):
        return why, why
    labelled, others = pairs.select(pairs.voted), pairs.select(~pairs.voted)
    people = _clipped(mean_of_people(labelled.answers))
    if pairs.voted.all():
        return people, NO_OTHER_PAIR
    return people, _clipped(powered_mean(labelled.answers, others.by_judge))


def _why_no_rate(pairs: SystemPairs) -> str:
    return _too_few(pairs) or (ONE_ANSWER if np.ptp(pairs.answers.human[pairs.voted]) == 0 else "")


def _clipped(share: PoweredMean) -> PoweredMean:
    value, low, high = np.clip([share.value, share.low, share.high], 0, 1).tolist()
    return replace(share, value=value, low=low, high=high)


def _scores(pairs: SystemPairs) -> tuple[PoweredScores | str, PoweredScores | str]:
    """Return the scores of all systems by people alone and with the judge, or the reasons why they are undefined."""
    why, n = _too_few(pairs), len(pairs.names)
    if n > MOST_SYSTEMS:
        why = f"scores are computed for at most {MOST_SYSTEMS} systems, not {n}"
    if why:
        return why, why
    labelled, others = pairs.select(pairs.voted), pairs.select(~pairs.voted)
    people = value_or_why(lambda: scores_of_people(labelled.answers, labelled.sides, n_candidates=n))
    if pairs.voted.all():
        return people, NO_OTHER_PAIR
    return people, value_or_why(
        lambda: powered_scores(labelled.answers, others.by_judge, labelled.sides, others.sides, n_candidates=n)
    )


def _of_system(scores: PoweredScores | str, system: int) -> Estimate:
    if isinstance(scores, str):
        return scores
    value, low, high, error = np.stack([scores.values, scores.low, scores.high, scores.errors])[:, system].tolist()
    return PoweredMean(value, low, high, error, scores.weight)


def _figures(name: str, people: Estimate, powered: Estimate, n: int) -> dict[str, Figure]:
    """Return an estimate by people alone and with the judge, and its effective n. n: pairs with votes."""
    return {
        f"{name}_people": _figure(people, n),
        name: _figure(powered, n),
        f"{name}_effective_n": _effective_n(people, powered, n),
    }


def _figure(estimate: Estimate, n: int) -> Figure:
    if isinstance(estimate, str):
        return Figure.missing(estimate, n=n)
    return Figure(estimate.value, estimate.low, estimate.high, n)


def _effective_n(people: Estimate, powered: Estimate, n: int) -> Figure:
    """Return the number of pairs that people alone would need for the same error."""
    if isinstance(powered, str) or isinstance(people, str):
        return Figure.missing(powered if isinstance(powered, str) else str(people), n=n)
    if powered.standard_error == 0:
        return Figure.missing(NO_ERROR, n=n)
    return Figure(n * (people.standard_error / powered.standard_error) ** 2, n=n)


def _too_few(pairs: SystemPairs) -> str:
    labelled, contexts = int(pairs.voted.sum()), len(np.unique(pairs.answers.contexts[pairs.voted]))
    if labelled >= FEWEST_PAIRS and contexts >= FEWEST_CONTEXTS:
        return ""
    return (
        f"people voted on {labelled} of the pairs, in {contexts} contexts; an interval that holds needs "
        f"{FEWEST_PAIRS} pairs in {FEWEST_CONTEXTS} contexts"
    )
