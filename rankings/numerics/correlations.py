"""How well a ranking's scores agree with the human scores: per context, pooled, and per system."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray
from rankings.numerics.coefficients import COEFFICIENTS, Coefficient
from rankings.numerics.figures import Figure
from rankings.numerics.ranks import groups_of_equal_size
from rankings.numerics.scores import Scores, rounded

TOO_FEW = "fewer than two candidates have both a human score and a score of the ranking"
ALL_SKIPPED = "no context has two candidates with both scores whose human scores differ"
HUMAN_CONSTANT = "all human scores are equal"
NO_SYSTEMS = "fewer than two systems have candidates with both scores"
SYSTEMS_CONSTANT = "the mean human scores of all systems are equal"


@dataclass(frozen=True, slots=True, eq=False)
class HumanScores:
    """What people gave the candidates of a dataset for one attribute.

    scores: float, (n_candidates,). NaN where a candidate has none.
    contexts: int, (n_candidates,), rising. The context of each candidate.
    systems: int, (n_candidates,). A number for what produced it; -1 where that is not known.
    """

    scores: FloatArray
    contexts: IntArray
    systems: IntArray


@dataclass(frozen=True, slots=True)
class Correlation:
    """One block of a report: a coefficient taken three ways.

    per_context: plain mean over the contexts that count. contexts, skipped: how many count, and how many do not.
    pooled: over all candidates that have both scores. system: over systems, each the mean of its candidates.
    undefined: for each of these that is None, why.
    """

    per_context: float | None
    contexts: int
    skipped: int
    pooled: float | None
    system: float | None
    undefined: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def missing(cls, reason: str, *, skipped: int) -> "Correlation":
        """A block that does not exist, and why. skipped: the number of contexts with a record."""
        return cls(None, 0, skipped, None, None, dict.fromkeys(("per_context", "pooled", "system"), reason))


def correlate(scores: Scores, human: HumanScores, recorded: BoolArray) -> Mapping[str, Correlation]:
    """The correlations of a report row, by the names of `COEFFICIENTS`.

    recorded: bool, (n_contexts,). The contexts that have a record in the run, and are in the row's subset.
    """
    return {name: correlation(coefficient, scores, human, recorded) for name, coefficient in COEFFICIENTS.items()}


def correlation(coefficient: Coefficient, scores: Scores, human: HumanScores, recorded: BoolArray) -> Correlation:
    """One coefficient per context, pooled and per system."""
    values = context_correlations(coefficient, scores, human, recorded)
    counted = values[~np.isnan(values)]
    figures = {
        "per_context": Figure(float(counted.mean())) if len(counted) else Figure.missing(ALL_SKIPPED),
        "pooled": pooled_correlation(coefficient, scores, human, recorded),
        "system": system_correlation(coefficient, scores, human, recorded),
    }
    return Correlation(
        per_context=figures["per_context"].value,
        contexts=len(counted),
        skipped=int(recorded.sum()) - len(counted),
        pooled=figures["pooled"].value,
        system=figures["system"].value,
        undefined={name: figure.undefined for name, figure in figures.items() if figure.undefined is not None},
    )


def context_correlations(
    coefficient: Coefficient, scores: Scores, human: HumanScores, recorded: BoolArray
) -> FloatArray:
    """The coefficient within each context, (n_contexts,); NaN where the context is skipped or has no record.

    A context is skipped if fewer than two of its candidates have both scores, or if their human scores are all equal.
    """
    values = np.full(len(recorded), np.nan)
    for members in groups_of_equal_size(human.contexts, _both(scores, human, recorded)):
        people = rounded(human.scores[members])  # (n_contexts, size)
        varied = (people != people[:, :1]).any(axis=1)
        if varied.any():
            predicted = rounded(scores.values[members[varied]])
            values[human.contexts[members[varied, 0]]] = coefficient(predicted, people[varied])
    return values


def pooled_correlation(coefficient: Coefficient, scores: Scores, human: HumanScores, recorded: BoolArray) -> Figure:
    """The coefficient over all candidates that have both scores; n is their number."""
    members = np.flatnonzero(_both(scores, human, recorded))
    if len(members) < 2:
        return Figure.missing(TOO_FEW, n=len(members))
    return _coefficient_of(coefficient, scores.values[members], human.scores[members], HUMAN_CONSTANT)


def system_correlation(coefficient: Coefficient, scores: Scores, human: HumanScores, recorded: BoolArray) -> Figure:
    """The coefficient over systems, each the mean of its candidates that have both scores; n is their number."""
    members = np.flatnonzero(_both(scores, human, recorded) & (human.systems >= 0))
    systems, numbers = np.unique(human.systems[members], return_inverse=True)
    if len(systems) < 2:
        return Figure.missing(NO_SYSTEMS, n=len(systems))
    sizes = np.bincount(numbers)
    predicted = np.bincount(numbers, scores.values[members]) / sizes
    people = np.bincount(numbers, human.scores[members]) / sizes
    return _coefficient_of(coefficient, predicted, people, SYSTEMS_CONSTANT)


def _coefficient_of(coefficient: Coefficient, predicted: FloatArray, human: FloatArray, if_constant: str) -> Figure:
    people = rounded(human)
    if (people == people[0]).all():
        return Figure.missing(if_constant, n=len(people))
    return Figure(float(coefficient(rounded(predicted)[None], people[None])[0]), n=len(people))


def _both(scores: Scores, human: HumanScores, recorded: BoolArray) -> BoolArray:
    """Whether a candidate counts: a recorded context, a human score and a score of the ranking, (n_candidates,)."""
    return scores.defined & ~np.isnan(human.scores) & recorded[human.contexts]
