"""Every measure of every ranking of a run against people, with its intervals."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import BoolArray
from evenhand.numerics.correlation.coefficients import COEFFICIENTS
from evenhand.numerics.correlation.correlations import Correlation, correlate_all
from evenhand.numerics.correlation.human_scores import HumanScores, MatchedScores, match_all_rankings
from evenhand.numerics.correlation.soft_pairwise_accuracy import SoftPairwiseAccuracy, soft_pairwise_accuracies
from evenhand.numerics.correlation.system_samples import WITH_TIES, system_intervals
from evenhand.numerics.correlation.tie_calibration import (
    AccuracyWithTies,
    VotedPairs,
    accuracies_with_ties,
    accuracy_with_ties_of_votes,
)
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import coefficient_guard, mean_figures, pairs_guard
from evenhand.numerics.scores import Scores
from evenhand.numerics.votes import Votes

MEASURES = (*COEFFICIENTS, WITH_TIES)

Ranked = Mapping[str, Mapping[str, Scores | str]]
"""ranking -> "raw" and "debiased" -> its scores, or why they do not exist."""
RankedBy = tuple[str, str]
"""A ranking, and "raw" or "debiased"."""
MeasureKey = tuple[str, str, str]
"""A measure, a ranking, and "raw" or "debiased"."""
Measured = Mapping[str, Correlation | AccuracyWithTies]
NO_INTERVAL = Figure(None)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRankings:
    """Every measure of every ranking of a run, on the contexts of one row.

    kinds: ranking -> "raw" and "debiased" -> the key under which it was measured: that of the first ranking with equal
        scores. measured: the measures of each.
    means: the mean over contexts of each measure. systems: intervals between systems. The intervals of both may follow
        later (`shared_draws`).
    """

    kinds: Mapping[str, Mapping[str, RankedBy]]
    measured: Mapping[RankedBy, Measured]
    means: Mapping[MeasureKey, Figure]
    systems: Mapping[MeasureKey, Figure]

    @classmethod
    def of(cls, ranked: Ranked, human: HumanScores, votes: Votes | None, recorded: BoolArray) -> "MeasuredRankings":
        """Measure the rankings. recorded: bool, (n_contexts,).

        Where people gave votes and no scores, `accuracy_with_ties` is of the votes.
        """
        has_votes = votes is not None and len(votes) and np.isnan(human.scores).all()
        voted = VotedPairs.of(votes, recorded) if votes is not None and has_votes else None
        kinds, by_key = _distinct(ranked)
        defined = {key: scores for key, scores in by_key.items() if isinstance(scores, Scores)}
        matches = dict(zip(defined, match_all_rankings(defined.values(), human, recorded), strict=True))
        known = _measures(defined, matches, voted)
        measured = {
            key: _missing(scores, recorded) if isinstance(scores, str) else known[key] for key, scores in by_key.items()
        }
        means = _means(measured, matches)
        return cls(kinds, measured, means, _between_systems(defined, matches, measured))

    def ends(self, name: str, key: RankedBy) -> Mapping[str, Figure]:
        """Return the intervals of one measure of a ranking, by level."""
        return {"per_context": self.means[name, *key], "system": self.systems.get((name, *key), NO_INTERVAL)}

    def coefficient(self, name: str, key: RankedBy, level: str) -> Figure:
        """Return one coefficient of a ranking at a level, with its interval. n: the contexts of a mean over them."""
        block = block_of(self.measured[key][name])
        ends = self.ends(name, key).get(level, NO_INTERVAL)
        why = block.undefined.get(level) or ends.undefined
        n = block.contexts if level == "per_context" else None
        return Figure(getattr(block, level), ends.low, ends.high, n, why)


def soft_by_ranking(
    ranked: Ranked, human: HumanScores, recorded: BoolArray
) -> dict[str, dict[str, SoftPairwiseAccuracy]]:
    """Return ranking -> "raw" and "debiased" -> its soft pairwise accuracy. recorded: bool, (n_contexts,)."""
    kinds, by_key = _distinct(ranked)
    found = {key: SoftPairwiseAccuracy.missing(why, n=0) for key, why in by_key.items() if isinstance(why, str)}
    defined = {key: scores for key, scores in by_key.items() if isinstance(scores, Scores)}
    matches = dict(zip(defined, match_all_rankings(defined.values(), human, recorded), strict=True))
    for keys in _alike(matches):
        accuracies = soft_pairwise_accuracies([defined[key] for key in keys], matches[keys[0]])
        found |= zip(keys, accuracies, strict=True)
    return {ranking: {kind: found[key] for kind, key in of_kinds.items()} for ranking, of_kinds in kinds.items()}


def _distinct(ranked: Ranked) -> tuple[dict[str, dict[str, RankedBy]], dict[RankedBy, Scores | str]]:
    """Find rankings with equal scores, which occur where answers are choices.

    Returns ranking -> kind -> the first key with its scores, and the scores of these keys.
    """
    first: dict[object, RankedBy] = {}
    kinds: dict[str, dict[str, RankedBy]] = {}
    by_key: dict[RankedBy, Scores | str] = {}
    for ranking, of_ranking in ranked.items():
        for kind, scores in of_ranking.items():
            content = scores if isinstance(scores, str) else (scores.values.tobytes(), scores.reasons.tobytes())
            key = first.setdefault(content, (ranking, kind))
            by_key.setdefault(key, scores)
            kinds.setdefault(ranking, {})[kind] = key
    return kinds, by_key


def _alike(matches: Mapping[RankedBy, MatchedScores]) -> Iterator[list[RankedBy]]:
    """Yield the rankings that score the same candidates together."""
    alike: dict[int, list[RankedBy]] = {}
    for key, matched in matches.items():
        alike.setdefault(id(matched), []).append(key)
    yield from alike.values()


def _measures(
    scores: Mapping[RankedBy, Scores], matches: Mapping[RankedBy, MatchedScores], voted: VotedPairs | None
) -> dict[RankedBy, Measured]:
    """Measure rankings against human scores. voted: pairs of people who gave no scores; else None."""
    measured: dict[RankedBy, Measured] = {}
    for keys in _alike(matches):
        rankings, matched = [scores[key] for key in keys], matches[keys[0]]
        with_ties = (
            [accuracy_with_ties_of_votes(ranking, voted) for ranking in rankings]
            if voted
            else accuracies_with_ties(rankings, matched)
        )
        for key, coefficients, shares in zip(keys, correlate_all(rankings, matched), with_ties, strict=True):
            measured[key] = {**coefficients, WITH_TIES: shares}
    return measured


def _means(
    measured: Mapping[RankedBy, Measured], matches: Mapping[RankedBy, MatchedScores]
) -> dict[MeasureKey, Figure]:
    """Return the mean over contexts of each measure, with its interval."""
    within = {(name, *key): block_of(one[name]).within for key, one in measured.items() for name in MEASURES}
    guards = {(name, *key): _guard(name, one, matches.get(key)) for key, one in measured.items() for name in MEASURES}
    lowest = np.array([0.0 if name == WITH_TIES else -1.0 for name, *_ in within])
    figures = mean_figures(np.stack(list(within.values()), 1), np.array(list(guards.values())), lowest=lowest)
    return dict(zip(within, figures, strict=True))


def _guard(name: str, measured: Measured, matched: MatchedScores | None) -> float:
    """Return the guard of a mean over contexts; 0 where no context counts."""
    block = block_of(measured[name])
    if block.per_context is None or matched is None:
        return 0.0
    if name == WITH_TIES:
        return pairs_guard(with_ties_of(measured).pairs["per_context"] / block.contexts)
    return coefficient_guard(matched.candidates_of(~np.isnan(block.within)))


def _between_systems(
    scores: Mapping[RankedBy, Scores],
    matches: Mapping[RankedBy, MatchedScores],
    measured: Mapping[RankedBy, Measured],
) -> dict[MeasureKey, Figure]:
    """Return the interval of each figure between systems."""
    intervals: dict[MeasureKey, Figure] = {}
    for keys in _alike(matches):
        # Resamples use the same threshold of ties.
        epsilons = [with_ties_of(measured[key]).epsilon.get("system", 0.0) for key in keys]
        for key, figures in zip(
            keys, system_intervals([scores[key] for key in keys], matches[keys[0]], epsilons), strict=True
        ):
            intervals |= {(name, *key): figures[name] for name in MEASURES}
    return intervals


def _missing(reason: str, recorded: BoolArray) -> Measured:
    missing = AccuracyWithTies.missing(reason, recorded)
    return dict.fromkeys(COEFFICIENTS, missing.block) | {WITH_TIES: missing}


def block_of(measure: Correlation | AccuracyWithTies) -> Correlation:
    """Return the values of a measure at its levels."""
    return measure.block if isinstance(measure, AccuracyWithTies) else measure


def with_ties_of(measured: Measured) -> AccuracyWithTies:
    """Return the accuracy with ties among the measures of a ranking."""
    measure = measured[WITH_TIES]
    if not isinstance(measure, AccuracyWithTies):
        raise TypeError(f"{WITH_TIES} was measured as a correlation")
    return measure
