"""Correlation of a ranking's scores with human scores: per context, pooled and per system."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, counts
from evenhand.numerics.correlation.coefficients import COEFFICIENTS, every_coefficient, spearman_rows
from evenhand.numerics.correlation.human_scores import HumanScores, MatchedLevel, MatchedScores
from evenhand.numerics.figure import Figure
from evenhand.numerics.scores import Scores

ALL_SKIPPED = "no context has two candidates with both scores whose human scores differ"
_SCORES_AT_ONCE = 1 << 20
_LEVELS = ("per_context", "pooled", "system")


@dataclass(frozen=True, slots=True)
class Correlation:
    """One block of a report: a coefficient at three levels.

    per_context: plain mean over the contexts that count. contexts, skipped: numbers of contexts that do and do not.
    pooled: over all candidates with both scores. system: over systems, each the mean of its candidates.
    undefined: for each level without a value, the reason.
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
        """Build a block. recorded: as in `MatchedScores`. if_none: reason if no context counts."""
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
        """Return a block without values. recorded: as in `MatchedScores`."""
        none = Figure.missing(reason)
        return cls.of(np.full(len(recorded), np.nan), recorded, none, none, reason)


def correlate(scores: Scores, matched: MatchedScores) -> Mapping[str, Correlation]:
    """Return the correlations of a report row by coefficient. matched: from scores of the same candidates."""
    [correlations] = correlate_all([scores], matched)
    return correlations


def correlate_all(rankings: Sequence[Scores], matched: MatchedScores) -> list[Mapping[str, Correlation]]:
    """Return `correlate` of each ranking. All rankings score the same candidates."""
    at_once = max(1, _SCORES_AT_ONCE // max(1, len(matched.both)))
    parts = [rankings[at : at + at_once] for at in range(0, len(rankings), at_once)]
    return [correlations for part in parts for correlations in _correlate_part(part, matched)]


def _correlate_part(rankings: Sequence[Scores], matched: MatchedScores) -> Iterator[Mapping[str, Correlation]]:
    n = len(rankings)
    within = {name: np.full((n, len(matched.recorded)), np.nan) for name in COEFFICIENTS}
    every_value = np.stack([scores.values for scores in rankings])  # (n, n_candidates)
    for group in (group.varied for group in matched.groups):
        for name, values in every_coefficient(group.predicted(every_value), group.people).items():
            within[name][:, group.contexts] = values
    counted = ~np.isnan(within[COEFFICIENTS[0]][0])  # the same for all rankings and coefficients
    contexts = int(counted.sum())
    reasons = (None if contexts else ALL_SKIPPED), matched.pooled.undefined, matched.systems.undefined
    undefined = {level: why for level, why in zip(_LEVELS, reasons, strict=True) if why is not None}
    pooled, systems = _of_level(rankings, matched.pooled), _of_level(rankings, matched.systems)
    means = {name: _means(np.compress(counted, within[name], axis=1)) for name in COEFFICIENTS}
    skipped = int(matched.recorded.sum()) - contexts
    for number in range(n):
        yield {
            name: Correlation(
                means[name][number],
                contexts,
                skipped,
                pooled[name][number],
                systems[name][number],
                undefined,
                within[name][number],
            )
            for name in COEFFICIENTS
        }


def _means(rows: FloatArray) -> Sequence[float | None]:
    """Average each row, (n_rows, n); None if the rows are empty."""
    means: list[float | None] = rows.mean(axis=1).tolist() if rows.shape[1] else [None] * len(rows)
    return means


def spearman_within_contexts(scores: Scores, human: HumanScores, recorded: BoolArray) -> FloatArray:
    """Compute Spearman's correlation within each context, (n_contexts,); NaN if the context is skipped or not recorded.

    A context is skipped if fewer than two of its candidates have both scores, or if their human scores are all equal.
    """
    values = np.full(len(recorded), np.nan)
    for group in (group.varied for group in MatchedScores.of(scores, human, recorded).groups):
        values[group.contexts] = spearman_rows(group.predicted(scores.values), group.people)
    return values


def matched_candidates(scores: Scores, human: HumanScores, n_contexts: int) -> FloatArray:
    """Return the number of candidates with both scores in each context, (n_contexts,)."""
    both = scores.defined & ~np.isnan(human.scores)
    return counts(human.contexts[both], n_contexts).astype(np.float64)


def pooled_spearman(scores: Scores, human: HumanScores, recorded: BoolArray) -> Figure:
    """Compute Spearman's correlation over all candidates with both scores; n is their number."""
    level = MatchedScores.of(scores, human, recorded).pooled
    if level.undefined is not None:
        return Figure.missing(level.undefined, n=len(level.people))
    [value] = spearman_rows(level.predicted(scores)[None], level.people[None])
    return Figure(float(value), n=len(level.people))


def _of_level(rankings: Sequence[Scores], level: MatchedLevel) -> Mapping[str, list[float | None]]:
    """Return every coefficient over the candidates or systems of a level, of each ranking; None if undefined."""
    if level.undefined is not None:
        return dict.fromkeys(COEFFICIENTS, [None] * len(rankings))
    predicted = np.stack([level.predicted(scores) for scores in rankings])
    values = every_coefficient(predicted[:, None], level.people[None])
    return {name: of_rankings[:, 0].tolist() for name, of_rankings in values.items()}
