"""Accuracy of a judge against people, with intervals over contexts, over people, and over both.

An interval over contexts asks how the accuracy would move with other texts; one over people, with other annotators.
People are drawn with replacement, all their votes with them, and the majority of each pair is counted again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from evenhand.numerics.accuracy import accuracy, human_preferences
from evenhand.numerics.arrays import FloatArray, IntArray, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import FEWEST_DRAWN, TOO_FEW_TO_DRAW
from evenhand.numerics.resampling import RESAMPLES, resampled_counts
from evenhand.numerics.shared_draws import percentiles
from evenhand.numerics.votes import Votes

PEOPLE_SEED = 20261123
NO_PEOPLE = "fewer than two people voted on the pairs of this run"
FEW_DRAWS = "less than nine of ten draws have a pair on which the people drawn prefer a candidate"
_ELEMENTS_AT_ONCE = 1 << 21


@dataclass(frozen=True, slots=True)
class ChangeWithoutPerson:
    """The accuracy without one person, less that with everybody. rater: number of the person."""

    rater: int
    difference: float


@dataclass(frozen=True, slots=True)
class PeopleIntervals:
    """The accuracy of a judge against the majority of people, with intervals over different things.

    over_contexts, over_people, over_both: the same value, each with its interval. people: who voted on pairs of the
    run. largest_change: of leaving one of them out; None if none can be left out.
    """

    over_contexts: Figure
    over_people: Figure
    over_both: Figure
    people: int
    largest_change: ChangeWithoutPerson | None


@dataclass(frozen=True, slots=True, eq=False)
class _Tally:
    """Votes and answers by unordered pair.

    for_lower, for_higher, votes: number of votes of each person, sparse (n_raters, n_pairs).
    if_lower, if_higher: credits of the judge if people prefer the candidate with the lower or higher number.
    answers: number of answers of the judge. contexts: context of each pair. All (n_pairs,).
    """

    for_lower: csr_array
    for_higher: csr_array
    votes: csr_array
    if_lower: FloatArray
    if_higher: FloatArray
    answers: FloatArray
    contexts: IntArray

    def accuracies(self, people: FloatArray, contexts: FloatArray | None = None) -> FloatArray:
        """Return the accuracy of each draw, (n_draws,); NaN where nobody prefers a candidate.

        people: float, (n_draws, n_raters). How often each person is drawn. contexts: likewise; default: once each.
        """
        lower, higher, votes = (people @ counted for counted in (self.for_lower, self.for_higher, self.votes))
        prefers_lower, prefers_higher = 2 * lower > votes, 2 * higher > votes
        weights = np.ones(len(self.answers)) if contexts is None else contexts[:, self.contexts]
        credits = (weights * (prefers_lower * self.if_lower + prefers_higher * self.if_higher)).sum(axis=1)
        answers = (weights * ((prefers_lower | prefers_higher) * self.answers)).sum(axis=1)
        return np.divide(credits, answers, out=np.full(len(people), np.nan), where=answers > 0)


def accuracy_over_people(comparisons: Comparisons, votes: Votes, n_raters: int) -> PeopleIntervals:
    """Return the accuracy of a judge's comparisons against votes alone, with its intervals.

    n_raters: people are numbered below it.
    """
    over_contexts = accuracy(comparisons, human_preferences(comparisons, None, votes))
    tally = _tally(comparisons, votes, n_raters)
    present = np.flatnonzero(tally.votes.sum(axis=1))
    if over_contexts.value is None or len(present) < 2:
        missing = Figure(over_contexts.value, n=over_contexts.n, undefined=over_contexts.undefined or NO_PEOPLE)
        return PeopleIntervals(over_contexts, missing, missing, len(present), None)
    drawn = _drawn_people(present, n_raters)
    chunks = _chunks(tally, drawn)
    over_people = np.concatenate([tally.accuracies(drawn[rows]) for rows in chunks])
    return PeopleIntervals(
        over_contexts,
        _with_interval(over_contexts, over_people),
        _over_both(over_contexts, comparisons, drawn, tally),
        len(present),
        _largest_change(tally, present, n_raters, over_contexts.value),
    )


def _over_both(figure: Figure, comparisons: Comparisons, drawn: FloatArray, tally: _Tally) -> Figure:
    if len(np.unique(comparisons.contexts)) < FEWEST_DRAWN:
        return Figure(figure.value, n=figure.n, undefined=TOO_FEW_TO_DRAW)
    draws = _joint_draws(drawn, comparisons.n_contexts, tally)
    return _with_interval(figure, np.concatenate([tally.accuracies(*one) for one in draws]))


def _tally(comparisons: Comparisons, votes: Votes, n_raters: int) -> _Tally:
    keys, pair = comparisons.unordered_pairs
    is_judged = np.isin(votes.comparisons.pair_keys, keys)
    at = np.searchsorted(keys, votes.comparisons.pair_keys[is_judged])
    raters, outcomes = votes.raters[is_judged], votes.for_lower[is_judged]
    shape = (n_raters, len(keys))

    def counted(chosen: FloatArray) -> csr_array:
        return csr_array((chosen.astype(np.float64), (raters, at)), shape=shape)

    decisions = decide(comparisons.p_first)
    for_lower = np.where(comparisons.first < comparisons.second, decisions, 1 - decisions)
    contexts = np.zeros(len(keys), dtype=np.intp)
    contexts[pair] = comparisons.contexts
    size = len(keys)
    return _Tally(
        for_lower=counted(outcomes == 1),
        for_higher=counted(outcomes == 0),
        votes=counted(np.ones(len(at))),
        if_lower=sums(pair, for_lower, size),
        if_higher=sums(pair, 1 - for_lower, size),
        answers=np.bincount(pair, minlength=size).astype(np.float64),
        contexts=contexts,
    )


def _drawn_people(present: IntArray, n_raters: int) -> FloatArray:
    """Return how often each draw has each person, (RESAMPLES, n_raters): as many draws as people, with replacement."""
    rng = np.random.default_rng(PEOPLE_SEED)
    drawn = np.zeros((RESAMPLES, n_raters))
    drawn[:, present] = rng.multinomial(len(present), np.full(len(present), 1 / len(present)), size=RESAMPLES)
    return drawn


def _chunks(tally: _Tally, drawn: FloatArray) -> list[slice]:
    rows = max(1, _ELEMENTS_AT_ONCE // max(1, len(tally.answers)))
    return [slice(at, at + rows) for at in range(0, len(drawn), rows)]


def _joint_draws(drawn: FloatArray, n_contexts: int, tally: _Tally) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield people and contexts drawn together, in chunks. Contexts are those of every other interval."""
    done = 0
    for contexts in resampled_counts(n_contexts):
        people = drawn[done : done + len(contexts)]
        for rows in _chunks(tally, people):
            yield people[rows], contexts[rows]
        done += len(contexts)


def _with_interval(figure: Figure, draws: FloatArray) -> Figure:
    known = draws[~np.isnan(draws)]
    if len(known) < 0.9 * len(draws):
        return Figure(figure.value, n=figure.n, undefined=FEW_DRAWS)
    return Figure(figure.value, *percentiles(known), n=figure.n)


def _largest_change(tally: _Tally, present: IntArray, n_raters: int, value: float) -> ChangeWithoutPerson | None:
    weights = np.zeros((len(present), n_raters))
    weights[:, present] = 1 - np.eye(len(present))
    changes = tally.accuracies(weights) - value
    if np.isnan(changes).all():
        return None
    largest = int(np.nanargmax(np.abs(changes)))
    return ChangeWithoutPerson(int(present[largest]), float(changes[largest]))
