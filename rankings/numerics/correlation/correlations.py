"""Correlation of a ranking's scores with human scores: per context, pooled and per system."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray
from rankings.numerics.correlation.coefficients import COEFFICIENTS, RowCoefficient, every_coefficient
from rankings.numerics.correlation.human_scores import HumanScores, MatchedLevel, MatchedScores
from rankings.numerics.figure import Figure
from rankings.numerics.scores import Scores

ALL_SKIPPED = "no context has two candidates with both scores whose human scores differ"


@dataclass(frozen=True, slots=True)
class Correlation:
    """One block of a report: a coefficient taken three ways.

    per_context: plain mean over the contexts that count. contexts, skipped: how many count, and how many do not.
    pooled: over all candidates that have both scores. system: over systems, each the mean of its candidates.
    undefined: for each of these that is None, why.
    within: float, (n_contexts,). The coefficient of each context; NaN where the context does not count.
    """

    per_context: float | None
    contexts: int
    skipped: int
    pooled: float | None
    system: float | None
    undefined: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    within: FloatArray = field(default_factory=lambda: np.zeros(0), compare=False, repr=False)

    @classmethod
    def of(cls, within: FloatArray, recorded: BoolArray, pooled: Figure, system: Figure, if_none: str) -> "Correlation":
        """recorded: bool, (n_contexts,). Whether a context has a record. if_none: why, where no context counts."""
        counted = within[~np.isnan(within)]
        mean = Figure(float(counted.mean())) if len(counted) else Figure.missing(if_none)
        named = {"per_context": mean, "pooled": pooled, "system": system}
        return cls(
            per_context=mean.value,
            contexts=len(counted),
            skipped=int(recorded.sum()) - len(counted),
            pooled=pooled.value,
            system=system.value,
            undefined={name: figure.undefined for name, figure in named.items() if figure.undefined is not None},
            within=within,
        )

    @classmethod
    def missing(cls, reason: str, recorded: BoolArray) -> "Correlation":
        """A block that does not exist, and why. recorded: as above."""
        none = Figure.missing(reason)
        return cls.of(np.full(len(recorded), np.nan), recorded, none, none, reason)


def correlate(scores: Scores, human: HumanScores, recorded: BoolArray) -> Mapping[str, Correlation]:
    """The correlations of a report row, by the names of `COEFFICIENTS`.

    recorded: bool, (n_contexts,). The contexts that have a record in the run, and are in the row's subset.
    """
    return correlate_matched(scores, MatchedScores.of(scores, human, recorded))


def correlate_matched(scores: Scores, matched: MatchedScores) -> Mapping[str, Correlation]:
    """Return the correlations of candidates that are already matched."""
    within = {name: np.full(len(matched.recorded), np.nan) for name in COEFFICIENTS}
    for group in (group.varied for group in matched.groups):
        for name, values in every_coefficient(group.predicted(scores), group.rows).items():
            within[name][group.contexts] = values
    pooled, system = _of_level(scores, matched.pooled), _of_level(scores, matched.systems)
    return {
        name: Correlation.of(within[name], matched.recorded, pooled[name], system[name], ALL_SKIPPED)
        for name in COEFFICIENTS
    }


def correlation(coefficient: RowCoefficient, scores: Scores, human: HumanScores, recorded: BoolArray) -> Correlation:
    """One coefficient per context, pooled and per system."""
    matched = MatchedScores.of(scores, human, recorded)
    within = _within_contexts(coefficient, scores, matched)
    pooled, system = (_figure(coefficient, scores, level) for level in (matched.pooled, matched.systems))
    return Correlation.of(within, recorded, pooled, system, ALL_SKIPPED)


def context_correlations(
    coefficient: RowCoefficient, scores: Scores, human: HumanScores, recorded: BoolArray
) -> FloatArray:
    """The coefficient within each context, (n_contexts,); NaN where the context is skipped or has no record.

    A context is skipped if fewer than two of its candidates have both scores, or if their human scores are all equal.
    """
    return _within_contexts(coefficient, scores, MatchedScores.of(scores, human, recorded))


def pooled_correlation(coefficient: RowCoefficient, scores: Scores, human: HumanScores, recorded: BoolArray) -> Figure:
    """The coefficient over all candidates that have both scores; n is their number."""
    return _figure(coefficient, scores, MatchedScores.of(scores, human, recorded).pooled)


def _within_contexts(coefficient: RowCoefficient, scores: Scores, matched: MatchedScores) -> FloatArray:
    values = np.full(len(matched.recorded), np.nan)
    for group in (group.varied for group in matched.groups):
        values[group.contexts] = coefficient(group.predicted(scores), group.people)
    return values


def _figure(coefficient: RowCoefficient, scores: Scores, level: MatchedLevel) -> Figure:
    n = len(level.people)
    if level.undefined is not None:
        return Figure.missing(level.undefined, n=n)
    return Figure(float(coefficient(level.predicted(scores)[None], level.people[None])[0]), n=n)


def _of_level(scores: Scores, level: MatchedLevel) -> Mapping[str, Figure]:
    """Every coefficient of the candidates or systems of a level."""
    if level.undefined is not None:
        return dict.fromkeys(COEFFICIENTS, Figure.missing(level.undefined))
    found = every_coefficient(level.predicted(scores)[None], level.rows)
    return {name: Figure(float(value)) for name, [value] in found.items()}
