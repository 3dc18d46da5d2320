"""Correlations of each ranking with human scores, as the blocks of a report row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from rankings.numerics import COEFFICIENTS, Correlation, Figure, HumanScores, Scores, Votes
from rankings.numerics.arrays import BoolArray
from rankings.numerics.correlation.correlations import correlate_all
from rankings.numerics.correlation.human_scores import MatchedScores, match_all_rankings
from rankings.numerics.intervals import mean_figures
from rankings.numerics.reliability.system_samples import system_intervals
from rankings.numerics.tie_calibration import (
    AccuracyWithTies,
    VotedPairs,
    accuracy_with_ties,
    accuracy_with_ties_of_votes,
)
from rankings.report.report_row import (
    LEVELS,
    AccuraciesWithTies,
    AccuracyWithTiesBlock,
    CorrelationBlock,
    Correlations,
)

WITH_TIES = "accuracy_with_ties"
MEASURES = (*COEFFICIENTS, WITH_TIES)

Ranked = Mapping[str, Mapping[str, Scores | str]]
"""ranking -> "raw" and "debiased" -> its scores, or why they do not exist."""
Key = tuple[str, str]
"""A ranking, and "raw" or "debiased"."""
MeasureKey = tuple[str, str, str]
"""A measure, a ranking, and "raw" or "debiased"."""
Measured = Mapping[str, Correlation | AccuracyWithTies]
NO_INTERVAL = Figure(None)


class RunBlocks(TypedDict):
    """measure -> ranking -> its blocks. The measures are fields of a report row."""

    spearman: dict[str, Correlations]
    kendall: dict[str, Correlations]
    pearson: dict[str, Correlations]
    kendall_c: dict[str, Correlations]
    accuracy_with_ties: dict[str, AccuraciesWithTies]


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRankings:
    """Every measure of every ranking of a run, on the contexts of one row.

    kinds: ranking -> "raw" and "debiased". measured: the measures of each.
    means: the mean over contexts of each measure. systems: intervals between systems. The intervals of both may follow
        later (`shared_draws`).
    """

    kinds: Mapping[str, Sequence[str]]
    measured: Mapping[Key, Measured]
    means: Mapping[MeasureKey, Figure]
    systems: Mapping[MeasureKey, Figure]

    @classmethod
    def of(cls, ranked: Ranked, human: HumanScores, votes: Votes, recorded: BoolArray) -> MeasuredRankings:
        """Measure the rankings. recorded: bool, (n_contexts,).

        Where people gave votes and no scores, `accuracy_with_ties` is of the votes.
        """
        voted = VotedPairs.of(votes, recorded) if len(votes) and np.isnan(human.scores).all() else None
        by_key = {(ranking, kind): scores for ranking, kinds in ranked.items() for kind, scores in kinds.items()}
        defined = {key: scores for key, scores in by_key.items() if isinstance(scores, Scores)}
        matches = dict(zip(defined, match_all_rankings(defined.values(), human, recorded), strict=True))
        known = _measures(defined, matches, voted)
        measured = {
            key: _missing(scores, recorded) if isinstance(scores, str) else known[key] for key, scores in by_key.items()
        }
        within = {(name, *key): _block(one[name]).within for key, one in measured.items() for name in MEASURES}
        means = dict(zip(within, mean_figures(np.stack(list(within.values()), 1)), strict=True))
        kinds = {ranking: list(of_ranking) for ranking, of_ranking in ranked.items()}
        return cls(kinds, measured, means, _between_systems(defined, matches, measured))

    def blocks(self) -> RunBlocks:
        """Return the blocks of every measure and ranking."""
        return RunBlocks(
            spearman=self._correlations("spearman"),
            kendall=self._correlations("kendall"),
            pearson=self._correlations("pearson"),
            kendall_c=self._correlations("kendall_c"),
            accuracy_with_ties={
                ranking: AccuraciesWithTies(**{kind: self._with_ties(ranking, kind) for kind in kinds})
                for ranking, kinds in self.kinds.items()
            },
        )

    def _correlations(self, name: str) -> dict[str, Correlations]:
        return {
            ranking: Correlations(**{kind: self._correlation(name, ranking, kind) for kind in kinds})
            for ranking, kinds in self.kinds.items()
        }

    def _correlation(self, name: str, ranking: str, kind: str) -> CorrelationBlock:
        return _correlation(self.measured[ranking, kind], name, self._ends((name, ranking, kind)))

    def _with_ties(self, ranking: str, kind: str) -> AccuracyWithTiesBlock:
        return _with_ties(self.measured[ranking, kind], self._ends((WITH_TIES, ranking, kind)))

    def _ends(self, key: MeasureKey) -> Mapping[str, Figure]:
        """Return the intervals of one measure of a ranking, by level."""
        return {"per_context": self.means[key], "system": self.systems.get(key, NO_INTERVAL)}


def _alike(matches: Mapping[Key, MatchedScores]) -> Iterator[list[Key]]:
    """Yield the rankings that score the same candidates together."""
    alike: dict[int, list[Key]] = {}
    for key, matched in matches.items():
        alike.setdefault(id(matched), []).append(key)
    yield from alike.values()


def _measures(
    scores: Mapping[Key, Scores], matches: Mapping[Key, MatchedScores], voted: VotedPairs | None
) -> dict[Key, Measured]:
    """Measure rankings against human scores. voted: pairs of people who gave no scores; else None."""
    measured: dict[Key, Measured] = {}
    for keys in _alike(matches):
        correlations = correlate_all([scores[key] for key in keys], matches[keys[0]])
        for key, of_ranking in zip(keys, correlations, strict=True):
            with_ties = (
                accuracy_with_ties_of_votes(scores[key], voted)
                if voted
                else accuracy_with_ties(scores[key], matches[key])
            )
            measured[key] = {**of_ranking, WITH_TIES: with_ties}
    return measured


def _between_systems(
    scores: Mapping[Key, Scores], matches: Mapping[Key, MatchedScores], measured: Mapping[Key, Measured]
) -> dict[MeasureKey, Figure]:
    """Return the interval of each figure between systems."""
    intervals: dict[MeasureKey, Figure] = {}
    for keys in _alike(matches):
        epsilons = [_epsilon(measured[key]) for key in keys]
        for key, figures in zip(
            keys, system_intervals([scores[key] for key in keys], matches[keys[0]], epsilons), strict=True
        ):
            intervals |= {(name, *key): figures[name] for name in MEASURES}
    return intervals


def _epsilon(measured: Measured) -> float:
    """Return the threshold of ties between systems. Resamples use the same threshold."""
    return _accuracy_with_ties(measured).epsilon.get("system", 0.0)


def _missing(reason: str, recorded: BoolArray) -> Measured:
    missing = AccuracyWithTies.missing(reason, recorded)
    return dict.fromkeys(COEFFICIENTS, missing.block) | {WITH_TIES: missing}


def _block(measure: Correlation | AccuracyWithTies) -> Correlation:
    return measure.block if isinstance(measure, AccuracyWithTies) else measure


def _accuracy_with_ties(measured: Measured) -> AccuracyWithTies:
    measure = measured[WITH_TIES]
    if not isinstance(measure, AccuracyWithTies):
        raise TypeError(f"{WITH_TIES} was measured as a correlation")
    return measure


def _correlation(measured: Measured, name: str, ends: Mapping[str, Figure]) -> CorrelationBlock:
    block = _block(measured[name])
    return CorrelationBlock(**_levels(block, ends), undefined=_why(block, ends) or None)


def _with_ties(measured: Measured, ends: Mapping[str, Figure]) -> AccuracyWithTiesBlock:
    accuracy = _accuracy_with_ties(measured)
    why = _why(accuracy.block, ends)
    parts: dict[str, Any] = {}
    for level in LEVELS:
        parts[f"{level}_epsilon"] = accuracy.epsilon.get(level)
        parts[f"{level}_pairs"] = accuracy.pairs.get(level, 0)
        parts[f"{level}_all_tied"] = accuracy.all_tied.get(level)
    for name, reason in accuracy.block.undefined.items():
        why |= {f"{name}_epsilon": reason, f"{name}_all_tied": reason}
    return AccuracyWithTiesBlock(**_levels(accuracy.block, ends), **parts, undefined=why or None)


def _levels(block: Correlation, ends: Mapping[str, Figure]) -> dict[str, Any]:
    """Return the fields of a correlation block."""
    names = ("per_context", "contexts", "skipped", "pooled", "system")
    fields: dict[str, Any] = {name: getattr(block, name) for name in names}
    for level, figure in ends.items():
        fields |= {f"{level}_low": figure.low, f"{level}_high": figure.high}
    return fields


def _why(block: Correlation, ends: Mapping[str, Figure]) -> dict[str, str]:
    """Return field -> why it is None."""
    why = dict(block.undefined)
    for level, figure in ends.items():
        if figure.low is None:
            reason = why.get(level) or figure.undefined or ""
            why |= {f"{level}_low": reason, f"{level}_high": reason}
    return why
