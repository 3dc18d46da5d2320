"""How careful a person votes: sides, repeats, speed, agreement with others, drift, and copied votes."""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc

from evenhand.numerics.accuracy import human_preferences
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import pooled_share
from evenhand.numerics.rankings.registry import score
from evenhand.numerics.reliability.fit_statistics import misfit
from evenhand.numerics.reliability.rater_flags import FEWEST_VOTES, NORMAL_95, SMALLEST_CHANCE, is_flagged
from evenhand.numerics.votes import Votes

_QUICK_SECONDS = 2.0
_FIGURE_OF_FLAG = {
    "one-side": "left_share",
    "no-agreement": "agreement",
    "inconsistent": "self_consistency",
    "gold": "gold_accuracy",
    "quick": "quick_share",
    "drift": "drift",
}
_NO_MAJORITY = "no vote is on a pair on which the other people have a strict majority"
_NO_REPEATS = "no pair was voted on twice"
_NO_GOLD = "no gold pair was shown"
_NO_TIMES = "no vote has a time"
_NO_ORDER = "fewer than two votes on pairs that others decided have a date"
_NO_DECISIONS = "no vote prefers a candidate"
_NO_OTHERS = "nobody else voted on the same pairs"


@dataclass(frozen=True, slots=True, eq=False)
class TimedVotes:
    """Votes of all people with their times.

    seconds: float, (n,). Time on each pair; NaN if unknown. order: float, (n,). When each was given, on any rising
    scale; NaN if unknown.
    """

    votes: Votes
    seconds: FloatArray
    order: FloatArray

    def of_rater(self, rater: int) -> "TimedVotes":
        chosen = self.votes.raters == rater
        return TimedVotes(self.votes.select(chosen), self.seconds[chosen], self.order[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class CheckVotes:
    """Votes that check people, and count nowhere else.

    repeats: votes on pairs that the same person had voted on. gold_raters, gold_contexts: int, (n_gold,). Who voted on
    a gold pair, and its context. gold_is_right: bool, (n_gold,). True if the vote is the known answer.
    """

    repeats: Votes
    gold_raters: IntArray
    gold_contexts: IntArray
    gold_is_right: BoolArray


@dataclass(frozen=True, slots=True)
class ClosestRater:
    """The person whose votes are most like those of another. rater: None if nobody shares a pair."""

    rater: int | None
    agreement: Figure


@dataclass(frozen=True, slots=True)
class RaterQuality:
    """Figures of one person's votes.

    left_share: share of decided votes for the candidate shown first. agreement: with the strict majority of the
    others; a tie counts 1/2. self_consistency: share of repeated votes with the same outcome as the first one.
    gold_accuracy: share of the answers to gold pairs that are the known one.
    quick_share: share of timed votes within _QUICK_SECONDS. median_seconds: None if no vote has a time.
    infit: to scores from the votes of the others. drift: agreement in the second half of the dated votes less that in
    the first half. flags: names of QUALITY_FLAGS that a researcher should look at.
    """

    votes: int
    left_share: Figure
    agreement: Figure
    self_consistency: Figure
    gold_accuracy: Figure
    quick_share: Figure
    median_seconds: float | None
    infit: Figure
    drift: Figure
    closest: ClosestRater
    flags: tuple[str, ...]


def quality_of_raters(
    timed: TimedVotes, n_raters: int, checks: CheckVotes, in_figures: BoolArray | None = None
) -> list[RaterQuality]:
    """Compute the figures of each person, in the order of their numbers in `Votes.raters`.

    in_figures: bool, (n_raters,). People with whom each person is compared; default: everybody.
    """
    outcomes = _first_outcomes(timed.votes, n_raters)
    contexts = _contexts_of_pairs(timed.votes.comparisons)
    counted = np.ones(n_raters, dtype=bool) if in_figures is None else in_figures
    return [_quality(timed, checks, rater, counted, outcomes, contexts) for rater in range(n_raters)]


def _quality(
    timed: TimedVotes,
    checks: CheckVotes,
    rater: int,
    counted: BoolArray,
    outcomes: FloatArray,
    pair_contexts: IntArray,
) -> RaterQuality:
    """counted: people in figures. outcomes: from `_first_outcomes`. pair_contexts: int, (n_pairs,)."""
    is_other = counted & (np.arange(len(counted)) != rater)
    own, others = timed.of_rater(rater), timed.votes.select(is_other[timed.votes.raters])
    comparisons = own.votes.comparisons
    credits = 1 - np.abs(comparisons.p_first - human_preferences(comparisons, None, others))
    contexts, n = comparisons.contexts, comparisons.n_contexts
    decided = np.where(comparisons.p_first == 0.5, np.nan, comparisons.p_first)
    is_quick = np.where(np.isnan(own.seconds), np.nan, own.seconds < _QUICK_SECONDS)
    gold = checks.gold_raters == rater
    is_right = checks.gold_is_right[gold].astype(np.float64)
    figures = {
        "left_share": pooled_share(contexts, decided, n, if_empty=_NO_DECISIONS),
        "agreement": pooled_share(contexts, credits, n, if_empty=_NO_MAJORITY),
        "self_consistency": pooled_share(*_consistency(own.votes, checks.repeats, rater), n, if_empty=_NO_REPEATS),
        "gold_accuracy": pooled_share(checks.gold_contexts[gold], is_right, n, if_empty=_NO_GOLD),
        "quick_share": pooled_share(contexts, is_quick, n, if_empty=_NO_TIMES),
        "infit": _infit(comparisons, others),
        "drift": _drift(credits, own.order),
    }
    closest, is_copied = _closest(outcomes, rater, is_other, pair_contexts)
    flags = [flag for flag, name in _FIGURE_OF_FLAG.items() if is_flagged(flag, figures[name])]
    return RaterQuality(
        votes=len(comparisons),
        median_seconds=None if np.isnan(own.seconds).all() else float(np.nanmedian(own.seconds)),
        closest=closest,
        flags=(*flags, *(["copied"] if is_copied else [])),
        **figures,
    )


def _consistency(own: Votes, repeats: Votes, rater: int) -> tuple[IntArray, FloatArray]:
    """Return the context of each repeated vote, and 1 if it has the outcome of the first one on its pair, else 0.

    Votes on a pair are repeats of the first of them. A planned repeat counts only where its first vote is known.
    """
    planned = repeats.select(repeats.raters == rater)
    planned = planned.select(np.isin(planned.comparisons.pair_keys, own.comparisons.pair_keys))
    keys = np.concatenate([own.comparisons.pair_keys, planned.comparisons.pair_keys])
    outcomes = np.concatenate([own.for_lower, planned.for_lower])
    _, first, pair = np.unique(keys, return_index=True, return_inverse=True)
    is_repeated = np.ones(len(outcomes), dtype=bool)
    is_repeated[first] = False
    contexts = np.concatenate([own.comparisons.contexts, planned.comparisons.contexts])
    return contexts[is_repeated], (outcomes == outcomes[first][pair])[is_repeated].astype(np.float64)


def _infit(comparisons: Comparisons, others: Votes) -> Figure:
    if not len(others):
        return Figure.missing(_NO_OTHERS, n=0)
    try:
        return misfit(comparisons, score("bradley-terry", others.comparisons)).infit
    except Undefined as undefined:
        return Figure.missing(str(undefined), n=0)


def _drift(credits: FloatArray, order: FloatArray) -> Figure:
    """Return the mean credit of the later half less that of the earlier half, with a normal 95 % interval."""
    known = ~np.isnan(credits) & ~np.isnan(order)
    ordered = credits[known][np.argsort(order[known], kind="stable")]
    early, late = np.array_split(ordered, 2)
    if len(late) < 2:
        return Figure.missing(_NO_ORDER, n=len(ordered))
    change = float(late.mean() - early.mean())
    margin = NORMAL_95 * float(np.sqrt(late.var(ddof=1) / len(late) + early.var(ddof=1) / len(early)))
    return Figure(change, change - margin, change + margin, len(ordered))


def _first_outcomes(votes: Votes, n_raters: int) -> FloatArray:
    """Return each person's first outcome on each pair, (n_raters, n_pairs): 1, 1/2 or 0; NaN without a vote."""
    keys, pair = votes.comparisons.unordered_pairs
    outcomes = np.full((n_raters, len(keys)), np.nan)
    first = np.unique(votes.raters * len(keys) + pair, return_index=True)[1]
    outcomes[votes.raters[first], pair[first]] = votes.for_lower[first]
    return outcomes


def _contexts_of_pairs(comparisons: Comparisons) -> IntArray:
    """Return the context of each unordered pair, in rising order of their keys, (n_pairs,)."""
    return np.asarray(comparisons.contexts[np.unique(comparisons.pair_keys, return_index=True)[1]])


def _closest(outcomes: FloatArray, rater: int, is_other: BoolArray, contexts: IntArray) -> tuple[ClosestRater, bool]:
    """Return which of the others has the same outcomes most often, and True if that is too often to be chance.

    Chance: the largest agreement of one of the two with a third person.
    """
    shared = ~np.isnan(outcomes) & ~np.isnan(outcomes[rater])
    same = (outcomes == outcomes[rater]).sum(axis=1)
    totals = np.where(is_other, shared.sum(axis=1), 0)
    enough = totals >= min(FEWEST_VOTES, totals.max(initial=0))
    if not totals.any():
        return ClosestRater(None, Figure.missing(_NO_OTHERS, n=0)), False
    other = int(np.argmax(np.where(enough & (totals > 0), same / np.maximum(totals, 1), -1.0)))
    n, k = int(totals[other]), int(same[other])
    is_same = np.where(shared[other], outcomes[other] == outcomes[rater], np.nan)
    figure = pooled_share(contexts, is_same, int(contexts.max()) + 1, if_empty=_NO_OTHERS)
    third = outcomes[is_other & (np.arange(len(outcomes)) != other)]
    expected = max(_most_alike(third, outcomes[rater]), _most_alike(third, outcomes[other]))
    n_people = len(third) + 2
    comparisons_of_people = n_people * (n_people - 1) / 2
    is_unlikely = bdtrc(k - 1, n, expected) < SMALLEST_CHANCE / comparisons_of_people
    return ClosestRater(other, figure), n >= FEWEST_VOTES and bool(is_unlikely)


def _most_alike(people: FloatArray, one: FloatArray) -> float:
    """Return the largest share of outcomes equal to those of `one`; 1 if nobody shares a pair."""
    shared = (~np.isnan(people) & ~np.isnan(one)).sum(axis=1)
    same = (people == one).sum(axis=1)
    return float((same / np.maximum(shared, 1))[shared > 0].max(initial=0.0)) if shared.any() else 1.0
