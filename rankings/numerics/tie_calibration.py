"""Pairwise accuracy that gives credit for ties, with the tie threshold set by the data [Deutsch2023]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray
from rankings.numerics.correlation.correlations import Correlation
from rankings.numerics.correlation.human_scores import (
    ContextGroup,
    HumanScores,
    MatchedLevel,
    MatchedScores,
    signs_of_pairs,
)
from rankings.numerics.figure import Figure
from rankings.numerics.scores import Scores, rounded

NO_PAIR = "no context has two candidates with both a human score and a score of the ranking"
PEOPLE_EVEN = "the human scores of no two candidates of a context differ"
_NOISE = 1e-9  # sums of the weights 1/n that differ by less are equal


@dataclass(frozen=True, slots=True, eq=False)
class AccuracyWithTies:
    """The share of pairs that judge and people order alike, or both tie, taken three ways.

    block: per context, over the pairs of all contexts, and over pairs of systems.
    epsilon, pairs: by level, the threshold up to which scores count as tied, and the number of pairs; nothing for a
    level that does not exist.
    all_tied: by level, the share of a judge that calls every pair a tie, which no threshold falls below; as `epsilon`.
    """

    block: Correlation
    epsilon: Mapping[str, float]
    pairs: Mapping[str, int]
    all_tied: Mapping[str, float]

    @classmethod
    def missing(cls, reason: str, recorded: BoolArray) -> "AccuracyWithTies":
        """None at any level, and why. recorded: bool, (n_contexts,)."""
        return cls(Correlation.missing(reason, recorded), {}, {}, {})


def accuracy_with_ties(scores: Scores, human: HumanScores, recorded: BoolArray) -> AccuracyWithTies:
    """At each level with the threshold that gives it the highest value, the lowest such one.

    The thresholds are fitted to the data that they are measured on, so the values are somewhat too high. For contexts
    it is one for all of them, at which the mean over contexts is highest. Pairs are of one context, and contexts in
    which people tie every pair count; only those without a pair are skipped.

    recorded: bool, (n_contexts,). The contexts that have a record in the run, and are in the row's subset.
    """
    return accuracy_matched(scores, MatchedScores.of(scores, human, recorded))


def accuracy_matched(scores: Scores, matched: MatchedScores) -> AccuracyWithTies:
    """The same, of candidates that are matched already."""
    gaps = [_gaps(group.predicted(scores)) for group in matched.groups]
    pooled = _of_contexts(matched.groups, gaps, [1.0] * len(gaps))
    # Where all contexts have equally many pairs, each pair weighs the same in the mean over contexts.
    mean = pooled if len(gaps) < 2 else _of_contexts(matched.groups, gaps, [1 / group.shape[1] for group in gaps])
    found = {"per_context": mean, "pooled": pooled, "system": _of_systems(scores, matched.systems)}
    within = np.full(len(matched.recorded), np.nan)
    if mean.figure.value is not None:
        for group, of_group in zip(matched.groups, gaps, strict=True):
            within[group.contexts] = _right(of_group, group.signs, mean.epsilon).mean(axis=1)
    why = mean.figure.undefined or ""
    return AccuracyWithTies(
        Correlation.of(within, matched.recorded, pooled.figure, found["system"].figure, why),
        {level: one.epsilon for level, one in found.items() if one.figure.value is not None},
        {level: one.figure.n or 0 for level, one in found.items()},
        {level: one.all_tied for level, one in found.items() if one.figure.value is not None},
    )


@dataclass(frozen=True, slots=True)
class _Calibrated:
    """The figure of n pairs where differences up to epsilon are ties. all_tied: where all are."""

    figure: Figure
    epsilon: float = 0.0
    all_tied: float = 0.0


def _gaps(judged: FloatArray) -> FloatArray:
    """Differences of all pairs of a row, (n_rows, n_pairs). judged: float, (n_rows, size)."""
    i, j = np.triu_indices(judged.shape[1], 1)
    return rounded(judged[:, i] - judged[:, j])


def _right(gaps: FloatArray, signs: IntArray, epsilon: float) -> BoolArray:
    """Whether judge and people agree on a pair, the shape of both."""
    return np.where(np.abs(gaps) <= epsilon, 0.0, np.sign(gaps)) == signs


def _of_contexts(groups: Sequence[ContextGroup], gaps: Sequence[FloatArray], weights: Sequence[float]) -> _Calibrated:
    """weights: that of a pair of each group."""
    if not groups:
        return _Calibrated(Figure.missing(NO_PAIR, n=0))
    signs = np.concatenate([group.signs.ravel() for group in groups])
    if not signs.any():
        return _Calibrated(Figure.missing(PEOPLE_EVEN, n=len(signs)))
    all_gaps = np.concatenate([of_group.ravel() for of_group in gaps])
    return _calibrated(all_gaps, signs, np.repeat(weights, [of_group.size for of_group in gaps]))


def _of_systems(scores: Scores, systems: MatchedLevel) -> _Calibrated:
    n = len(systems.people)
    if systems.undefined is not None:
        return _Calibrated(Figure.missing(systems.undefined, n=n * (n - 1) // 2))
    gaps, [signs] = _gaps(systems.predicted(scores)[None]), signs_of_pairs(systems.people[None])
    return _calibrated(gaps[0], signs, np.ones(gaps.size))


def _calibrated(gaps: FloatArray, signs: IntArray, weights: FloatArray) -> _Calibrated:
    """The best threshold among 0 and all differences. gaps, signs, weights: (n_pairs,)."""
    # Raising epsilon to the gap of a pair that people call a tie makes it right; every other pair can only turn wrong.
    sizes, tied = np.abs(gaps), np.flatnonzero(signs == 0)
    ordered = np.flatnonzero(gaps * signs > 0)
    largest = _largest_worth_trying(sizes[ordered], weights[tied].sum() / weights.min())
    low_tied, low_ordered = tied[sizes[tied] <= largest], ordered[sizes[ordered] <= largest]
    thresholds = np.unique(np.append(sizes[low_tied], 0.0))
    won = _up_to(thresholds, sizes[low_tied], weights[low_tied])
    gain = won - _up_to(thresholds, sizes[low_ordered], weights[low_ordered])
    best = int(np.argmax(gain >= gain.max() - _NOISE))
    value = (weights[ordered].sum() + gain[best]) / weights.sum()
    all_tied = weights[tied].sum() / weights.sum()
    return _Calibrated(Figure(float(value), n=len(gaps)), float(thresholds[best]), float(all_tied))


def _largest_worth_trying(ordered: FloatArray, most: float) -> float:
    """The difference above which more than `most` pairs that were right are lost: all ties cannot make up for them."""
    place = int(most) + 1
    return float(np.partition(ordered, place)[place]) if place < len(ordered) else np.inf


def _up_to(thresholds: FloatArray, sizes: FloatArray, weights: FloatArray) -> FloatArray:
    """The weight of the pairs whose difference is no larger than each threshold, (n_thresholds,)."""
    places = np.searchsorted(thresholds, sizes)
    totals: FloatArray = np.cumsum(np.bincount(places, weights, len(thresholds) + 1), dtype=np.float64)
    return totals[: len(thresholds)]
