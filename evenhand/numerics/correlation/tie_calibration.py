"""Pairwise accuracy that gives credit for ties, with the tie threshold set by the data [Deutsch2023]."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from evenhand.numerics.correlation.correlations import Correlation
from evenhand.numerics.correlation.human_scores import ContextGroup, MatchedLevel, MatchedScores
from evenhand.numerics.figure import Figure
from evenhand.numerics.pairs import row_differences
from evenhand.numerics.scores import Scores, rounded
from evenhand.numerics.votes import Votes, majority_outcomes

NO_PAIR = "no context has two candidates with both a human score and a score of the ranking"
PEOPLE_EVEN = "the human scores of no two candidates of a context differ"
NO_PAIR_WITH_MAJORITY = (
    "no pair of candidates with a score of the ranking has an outcome with more than half of its votes"
)
VOTES_EVEN = "people call every pair a tie"
VOTES_RANK_NO_SYSTEMS = "people voted on pairs of texts, and a vote ranks no systems"
_PAIRS_AT_ONCE = 1 << 20
_NOISE = 1e-9  # sums of the weights 1/n that differ by less are equal


@dataclass(frozen=True, slots=True, eq=False)
class AccuracyWithTies:
    """Share of pairs on which judge and people agree: the same order, or both a tie.

    block: per context, over the pairs of all contexts, and over pairs of systems. Its levels are the keys below.
    epsilon: threshold up to which score differences are ties. pairs: number of pairs.
    all_tied: share of a judge that calls every pair a tie, the minimum over thresholds.
    Levels without a value have no epsilon and no all_tied.
    """

    block: Correlation
    epsilon: Mapping[str, float]
    pairs: Mapping[str, int]
    all_tied: Mapping[str, float]

    @classmethod
    def of(
        cls, within: FloatArray, recorded: BoolArray, mean: "_Calibrated", pooled: "_Calibrated", systems: "_Calibrated"
    ) -> "AccuracyWithTies":
        """Build a block of three levels. within: float, (n_contexts,), as in `Correlation`."""
        levels = {"per_context": mean, "pooled": pooled, "system": systems}
        defined = {level: one for level, one in levels.items() if one.figure.value is not None}
        return cls(
            Correlation.of(within, recorded, pooled.figure, systems.figure, mean.figure.undefined or ""),
            {level: one.epsilon for level, one in defined.items()},
            {level: one.figure.n or 0 for level, one in levels.items()},
            {level: one.all_tied for level, one in defined.items()},
        )

    @classmethod
    def missing(cls, reason: str, recorded: BoolArray) -> "AccuracyWithTies":
        """Return a block without values. recorded: as in `MatchedScores`."""
        return cls(Correlation.missing(reason, recorded), {}, {}, {})


def accuracies_with_ties(rankings: Sequence[Scores], matched: MatchedScores) -> list[AccuracyWithTies]:
    """Compute the accuracy of each ranking at each level, at the lowest threshold that maximises it.

    The threshold is fitted to the same data, so the values are somewhat too high. All contexts share one threshold,
    which maximises the mean over contexts. Pairs are within contexts. Contexts without a pair are skipped; contexts in
    which people tie every pair count.

    matched: from scores of the same candidates, for all rankings.
    """
    pooled = _HumanPairs.of_contexts(matched.groups)
    # Where all contexts have equally many pairs, each pair weighs the same in the mean over contexts.
    mean = pooled if len(matched.groups) < 2 else _HumanPairs.of_contexts(matched.groups, is_mean=True)
    systems = _HumanPairs.of_systems(matched.systems)
    at_once = max(1, _PAIRS_AT_ONCE // max(1, len(pooled.signs)))
    parts = [rankings[at : at + at_once] for at in range(0, len(rankings), at_once)]
    return [one for part in parts for one in _of_some(part, matched, mean, pooled, systems)]


def _of_some(
    rankings: Sequence[Scores],
    matched: MatchedScores,
    mean_pairs: "_HumanPairs",
    pooled_pairs: "_HumanPairs",
    systems: "_HumanPairs",
) -> Iterator[AccuracyWithTies]:
    gaps = _gaps_within(rankings, matched.groups)
    every_gap = np.concatenate(
        [np.zeros((len(rankings), 0)), *(one.reshape(len(rankings), -1) for one in gaps)], axis=1
    )
    pooled = [pooled_pairs.calibrated(of_ranking) for of_ranking in every_gap]
    mean = pooled if mean_pairs is pooled_pairs else [mean_pairs.calibrated(of_ranking) for of_ranking in every_gap]
    within = np.full((len(rankings), len(matched.recorded)), np.nan)
    if mean_pairs.undefined is None:
        epsilons = np.array([one.epsilon for one in mean])[:, None, None]
        for group, differences in zip(matched.groups, gaps, strict=True):
            decisions = np.where(np.abs(differences) <= epsilons, 0.0, np.sign(differences))
            within[:, group.contexts] = (decisions == group.signs).mean(axis=2)
    for number, scores in enumerate(rankings):
        of_systems = systems.calibrated(_gaps_of_systems(scores, matched.systems))
        yield AccuracyWithTies.of(within[number], matched.recorded, mean[number], pooled[number], of_systems)


def _gaps_within(rankings: Sequence[Scores], groups: Sequence[ContextGroup]) -> list[FloatArray]:
    """Return the score differences of the pairs of each group: (n_rankings, n_contexts, n_pairs)."""
    values = np.stack([scores.values for scores in rankings])
    return [rounded(row_differences(group.predicted(values))) for group in groups]


def _gaps_of_systems(scores: Scores, systems: MatchedLevel) -> FloatArray:
    return rounded(row_differences(systems.predicted(scores)))


@dataclass(frozen=True, slots=True, eq=False)
class VotedPairs:
    """The unordered pairs on which one outcome of three has more than half of the votes.

    lower, higher: int, (n,). Candidates. outcomes: float, (n,). 1 for the lower number, 0 for a tie, -1 for the higher.
    contexts: int, (n,). recorded: as in `MatchedScores`.
    """

    lower: IntArray
    higher: IntArray
    outcomes: FloatArray
    contexts: IntArray
    recorded: BoolArray

    @classmethod
    def of(cls, votes: Votes, recorded: BoolArray) -> "VotedPairs":
        """Return the pairs of recorded contexts."""
        lower, higher, outcomes = majority_outcomes(votes.of_contexts(recorded))
        return cls(lower, higher, outcomes, votes.comparisons.candidate_contexts[lower], recorded)


def accuracy_with_ties_of_votes(scores: Scores, voted: VotedPairs) -> AccuracyWithTies:
    """Compute the accuracy against votes, for people who gave no scores.

    There is no accuracy between systems, because a vote does not rank systems.
    """
    counted, recorded = scores.defined[voted.lower] & scores.defined[voted.higher], voted.recorded
    signs, contexts = voted.outcomes[counted], voted.contexts[counted]
    gaps = rounded(scores.values[voted.lower[counted]] - scores.values[voted.higher[counted]])
    n_pairs = counts(contexts, len(recorded))
    pooled = _HumanPairs.of_votes(signs, np.ones(len(gaps))).calibrated(gaps)
    # Where all contexts have equally many pairs, each pair weighs the same in the mean over contexts.
    is_even = len(np.unique(n_pairs[n_pairs > 0])) < 2
    mean = pooled if is_even else _HumanPairs.of_votes(signs, 1 / n_pairs[contexts]).calibrated(gaps)
    right = (np.where(np.abs(gaps) <= mean.epsilon, 0.0, np.sign(gaps)) == signs).astype(np.float64)
    within = np.full(len(recorded), np.nan)
    if mean.figure.value is not None:
        within[n_pairs > 0] = (sums(contexts, right, len(recorded)) / np.maximum(n_pairs, 1))[n_pairs > 0]
    none = _Calibrated(Figure.missing(VOTES_RANK_NO_SYSTEMS, n=0))
    return AccuracyWithTies.of(within, recorded, mean, pooled, none)


@dataclass(frozen=True, slots=True)
class _Calibrated:
    """Figure of n pairs if differences up to epsilon are ties. all_tied: its value if every pair is a tie."""

    figure: Figure
    epsilon: float = 0.0
    all_tied: float = 0.0


@dataclass(frozen=True, eq=False)
class _HumanPairs:
    """Pairs with human preferences, for any number of rankings.

    signs: int, (n,). Preference on each pair: 1, 0 or -1. weights: float, (n,).
    undefined: reason why there is no accuracy on them; else None.
    """

    signs: IntArray
    weights: FloatArray
    undefined: str | None

    @classmethod
    def of_contexts(cls, groups: Sequence[ContextGroup], *, is_mean: bool = False) -> "_HumanPairs":
        """Take all pairs within contexts. is_mean: each context weighs the same, else each pair."""
        if not groups:
            return cls(np.zeros(0, dtype=np.intp), np.zeros(0), NO_PAIR)
        weights = [1 / group.signs.shape[1] if is_mean else 1.0 for group in groups]
        signs = np.concatenate([group.signs.ravel() for group in groups])
        every_weight = np.repeat(weights, [group.signs.size for group in groups])
        return cls(signs, every_weight, None if signs.any() else PEOPLE_EVEN)

    @classmethod
    def of_votes(cls, signs: FloatArray, weights: FloatArray) -> "_HumanPairs":
        """Take pairs with votes."""
        why = None if signs.any() else VOTES_EVEN if len(signs) else NO_PAIR_WITH_MAJORITY
        return cls(signs.astype(np.intp), weights, why)

    @classmethod
    def of_systems(cls, systems: MatchedLevel) -> "_HumanPairs":
        """Take all pairs of systems."""
        signs = np.sign(row_differences(systems.people)).astype(np.intp)
        return cls(signs, np.ones(len(signs)), systems.undefined)

    @cached_property
    def tied(self) -> IntArray:
        """Indices of the pairs that people call a tie."""
        return np.flatnonzero(self.signs == 0)

    @cached_property
    def total_weight(self) -> float:
        return float(self.weights.sum())

    @cached_property
    def tied_weight(self) -> float:
        return float(self.weights[self.tied].sum())

    def calibrated(self, gaps: FloatArray) -> _Calibrated:
        """Choose the best threshold among 0 and all differences of a ranking. gaps: float, (n,)."""
        if self.undefined is not None:
            return _Calibrated(Figure.missing(self.undefined, n=len(self.signs)))
        ordered = np.flatnonzero(gaps * self.signs > 0)
        epsilon, gain = self._best_threshold(np.abs(gaps), ordered) if len(self.tied) else (0.0, 0.0)
        value = (float(self.weights[ordered].sum()) + gain) / self.total_weight
        return _Calibrated(Figure(value, n=len(gaps)), epsilon, self.tied_weight / self.total_weight)

    def _best_threshold(self, sizes: FloatArray, ordered: IntArray) -> tuple[float, float]:
        """Return the threshold and how much it gains over none.

        sizes: float, (n,). Absolute differences. ordered: int. Indices of the pairs in the order of people.
        """
        # Raising epsilon to the gap of a pair that people tie makes it right; every other pair can only turn wrong.
        tied, weights = self.tied, self.weights
        largest = _largest_worth_trying(sizes[ordered], self.tied_weight / float(weights.min()))
        low_tied, low_ordered = tied[sizes[tied] <= largest], ordered[sizes[ordered] <= largest]
        thresholds = np.unique(np.append(sizes[low_tied], 0.0))
        won = _up_to(thresholds, sizes[low_tied], weights[low_tied])
        gain = won - _up_to(thresholds, sizes[low_ordered], weights[low_ordered])
        best = int(np.argmax(gain >= gain.max() - _NOISE))
        return float(thresholds[best]), float(gain[best])


def _largest_worth_trying(ordered: FloatArray, most: float) -> float:
    """Return the threshold above which more than `most` correctly ordered pairs are lost, more than ties can win."""
    place = int(most) + 1
    return float(np.partition(ordered, place)[place]) if place < len(ordered) else np.inf


def _up_to(thresholds: FloatArray, sizes: FloatArray, weights: FloatArray) -> FloatArray:
    """Sum the weights of the pairs whose difference is at most each threshold, (n_thresholds,)."""
    bins = np.searchsorted(thresholds, sizes)
    totals: FloatArray = np.cumsum(np.bincount(bins, weights, len(thresholds) + 1), dtype=np.float64)
    return totals[: len(thresholds)]
