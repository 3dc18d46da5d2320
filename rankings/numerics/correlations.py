"""How well a ranking's scores agree with the human scores: per context, pooled, and per system."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
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
    matched = _Matched.of(scores, human, recorded)
    return {name: _correlation(coefficient, matched) for name, coefficient in COEFFICIENTS.items()}


def correlation(coefficient: Coefficient, scores: Scores, human: HumanScores, recorded: BoolArray) -> Correlation:
    """One coefficient per context, pooled and per system."""
    return _correlation(coefficient, _Matched.of(scores, human, recorded))


def context_correlations(
    coefficient: Coefficient, scores: Scores, human: HumanScores, recorded: BoolArray
) -> FloatArray:
    """The coefficient within each context, (n_contexts,); NaN where the context is skipped or has no record.

    A context is skipped if fewer than two of its candidates have both scores, or if their human scores are all equal.
    """
    groups = list(_by_context(scores, human, _both(scores, human, recorded)))
    return _within_contexts(coefficient, groups, len(recorded))


def pooled_correlation(coefficient: Coefficient, scores: Scores, human: HumanScores, recorded: BoolArray) -> Figure:
    """The coefficient over all candidates that have both scores; n is their number."""
    return _coefficient_of(coefficient, _pooled(scores, human, _both(scores, human, recorded)))


@dataclass(frozen=True, slots=True, eq=False)
class _Lists:
    """Two lists of scores, rounded, both (n,), and why no coefficient of them exists where none does."""

    predicted: FloatArray
    people: FloatArray
    undefined: str | None


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Contexts with equally many candidates that have both scores, of which people's differ.

    contexts: int, (n_contexts,). predicted, people: float, (n_contexts, size). The scores, rounded.
    """

    contexts: IntArray
    predicted: FloatArray
    people: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _Matched:
    """What coefficients are taken of: within contexts, over all candidates, and over systems."""

    groups: Sequence[_Group]
    pooled: _Lists
    systems: _Lists
    recorded: BoolArray

    @classmethod
    def of(cls, scores: Scores, human: HumanScores, recorded: BoolArray) -> "_Matched":
        both = _both(scores, human, recorded)
        return cls(
            list(_by_context(scores, human, both)),
            _pooled(scores, human, both),
            _by_system(scores, human, both),
            recorded,
        )


def _correlation(coefficient: Coefficient, matched: _Matched) -> Correlation:
    values = _within_contexts(coefficient, matched.groups, len(matched.recorded))
    counted = values[~np.isnan(values)]
    figures = {
        "per_context": Figure(float(counted.mean())) if len(counted) else Figure.missing(ALL_SKIPPED),
        "pooled": _coefficient_of(coefficient, matched.pooled),
        "system": _coefficient_of(coefficient, matched.systems),
    }
    return Correlation(
        per_context=figures["per_context"].value,
        contexts=len(counted),
        skipped=int(matched.recorded.sum()) - len(counted),
        pooled=figures["pooled"].value,
        system=figures["system"].value,
        undefined={name: figure.undefined for name, figure in figures.items() if figure.undefined is not None},
    )


def _by_context(scores: Scores, human: HumanScores, both: BoolArray) -> Iterator[_Group]:
    for members in groups_of_equal_size(human.contexts, both):
        people = rounded(human.scores[members])  # (n_contexts, size)
        varied = (people != people[:, :1]).any(axis=1)
        if varied.any():
            chosen = members[varied]
            yield _Group(human.contexts[chosen[:, 0]], rounded(scores.values[chosen]), people[varied])


def _pooled(scores: Scores, human: HumanScores, both: BoolArray) -> _Lists:
    return _lists(scores.values[both], human.scores[both], TOO_FEW, HUMAN_CONSTANT)


def _by_system(scores: Scores, human: HumanScores, both: BoolArray) -> _Lists:
    """Each system is the mean of its candidates that have both scores."""
    members = np.flatnonzero(both & (human.systems >= 0))
    systems, numbers = np.unique(human.systems[members], return_inverse=True)
    sizes = counts(numbers, len(systems))
    predicted, people = (
        sums(numbers, values[members], len(systems)) / sizes for values in (scores.values, human.scores)
    )
    return _lists(predicted, people, NO_SYSTEMS, SYSTEMS_CONSTANT)


def _lists(predicted: FloatArray, people: FloatArray, if_few: str, if_constant: str) -> _Lists:
    predicted, people = rounded(predicted), rounded(people)
    if len(people) < 2:
        return _Lists(predicted, people, if_few)
    return _Lists(predicted, people, if_constant if (people == people[0]).all() else None)


def _within_contexts(coefficient: Coefficient, groups: Sequence[_Group], n_contexts: int) -> FloatArray:
    values = np.full(n_contexts, np.nan)
    for group in groups:
        values[group.contexts] = coefficient(group.predicted, group.people)
    return values


def _coefficient_of(coefficient: Coefficient, lists: _Lists) -> Figure:
    n = len(lists.people)
    if lists.undefined is not None:
        return Figure.missing(lists.undefined, n=n)
    return Figure(float(coefficient(lists.predicted[None], lists.people[None])[0]), n=n)


def _both(scores: Scores, human: HumanScores, recorded: BoolArray) -> BoolArray:
    """Whether a candidate counts: a recorded context, a human score and a score of the ranking, (n_candidates,)."""
    return scores.defined & ~np.isnan(human.scores) & recorded[human.contexts]
