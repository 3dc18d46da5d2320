"""Candidates with both a human score and a ranking's score, grouped for correlations."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankings.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from rankings.numerics.correlation.coefficients import HumanRows
from rankings.numerics.ranks import groups_of_equal_size
from rankings.numerics.scores import Scores, rounded

TOO_FEW_CANDIDATES = "fewer than two candidates have both a human score and a score of the ranking"
HUMAN_CONSTANT = "all human scores are equal"
TOO_FEW_SYSTEMS = "fewer than two systems have candidates with both scores"
SYSTEMS_CONSTANT = "the mean human scores of all systems are equal"


@dataclass(frozen=True, slots=True, eq=False)
class HumanScores:
    """Human scores of a dataset's candidates on one attribute.

    scores: float, (n_candidates,). NaN if missing.
    contexts: int, (n_candidates,), rising. Context of each candidate.
    systems: int, (n_candidates,). Number of its system; -1 if unknown.
    """

    scores: FloatArray
    contexts: IntArray
    systems: IntArray


@dataclass(frozen=True, eq=False)
class ContextGroup:
    """Contexts with equally many candidates that have both scores, two or more.

    contexts: int, (n_contexts,). members: int, (n_contexts, size). people: float, (n_contexts, size). Rounded.
    """

    contexts: IntArray
    members: IntArray
    people: FloatArray

    @cached_property
    def rows(self) -> HumanRows:
        """The human scores, as coefficients take them."""
        return HumanRows(self.people)

    @cached_property
    def varied(self) -> "ContextGroup":
        """The contexts whose human scores are not all equal."""
        differ = (self.people != self.people[:, :1]).any(axis=1)
        return self if differ.all() else ContextGroup(self.contexts[differ], self.members[differ], self.people[differ])

    @cached_property
    def signs(self) -> IntArray:
        """Whom people prefer of each pair: 1, 0 or -1, (n_contexts, n_pairs)."""
        return signs_of_pairs(self.people)

    def predicted(self, scores: Scores) -> FloatArray:
        """The scores of a ranking, rounded, (n_contexts, size)."""
        return rounded(scores.values[self.members])


@dataclass(frozen=True, eq=False)
class MatchedLevel:
    """Candidates, or systems, that are taken together.

    members: int, (n_members,). Candidates. units: int, (n_members,). The place of each; a system's has several.
    people: float, (n,). The mean human score at each place, rounded. undefined: why they cannot be ranked; else None.
    """

    members: IntArray
    units: IntArray
    people: FloatArray
    undefined: str | None

    @cached_property
    def rows(self) -> HumanRows:
        """The human scores, as coefficients take them."""
        return HumanRows(self.people[None])

    def predicted(self, scores: Scores) -> FloatArray:
        """The mean score of a ranking at each place, rounded, (n,)."""
        return rounded(_means(self.units, scores.values[self.members], len(self.people)))


@dataclass(frozen=True, eq=False)
class MatchedScores:
    """both: bool, (n_candidates,). Which have both scores. recorded: bool, (n_contexts,). Contexts with a record."""

    human: HumanScores
    both: BoolArray
    recorded: BoolArray

    @classmethod
    def of(cls, scores: Scores, human: HumanScores, recorded: BoolArray) -> "MatchedScores":
        """recorded: bool, (n_contexts,). The contexts that have a record in the run, and are in the row's subset."""
        return cls(human, scores.defined & ~np.isnan(human.scores) & recorded[human.contexts], recorded)

    @cached_property
    def groups(self) -> list[ContextGroup]:
        """Every context with a pair."""
        stacks = (members for members in groups_of_equal_size(self.human.contexts, self.both) if members.shape[1] > 1)
        return [
            ContextGroup(self.human.contexts[members[:, 0]], members, rounded(self.human.scores[members]))
            for members in stacks
        ]

    @cached_property
    def pooled(self) -> MatchedLevel:
        """All candidates that have both scores, each for itself."""
        members = np.flatnonzero(self.both)
        return _level(members, np.arange(len(members)), self.human, TOO_FEW_CANDIDATES, HUMAN_CONSTANT)

    @cached_property
    def systems(self) -> MatchedLevel:
        """Each system, the mean of its candidates that have both scores."""
        members = np.flatnonzero(self.both & (self.human.systems >= 0))
        units = np.unique(self.human.systems[members], return_inverse=True)[1]
        return _level(members, units, self.human, TOO_FEW_SYSTEMS, SYSTEMS_CONSTANT)


def match_all_rankings(rankings: Iterable[Scores], human: HumanScores, recorded: BoolArray) -> Iterator[MatchedScores]:
    """For each ranking; those with scores of the same candidates share what is taken of people's."""
    known: dict[bytes, MatchedScores] = {}
    for scores in rankings:
        matched = MatchedScores.of(scores, human, recorded)
        yield known.setdefault(matched.both.tobytes(), matched)


def signs_of_pairs(rows: FloatArray) -> IntArray:
    """The signs of all differences within rows, (n_rows, n_pairs); rows: float, (n_rows, size)."""
    i, j = np.triu_indices(rows.shape[1], 1)
    return np.sign(rows[:, i] - rows[:, j]).astype(np.intp)


def _level(members: IntArray, units: IntArray, human: HumanScores, if_few: str, if_constant: str) -> MatchedLevel:
    n = int(units.max()) + 1 if len(units) else 0
    people = rounded(_means(units, human.scores[members], n))
    undefined = if_few if n < 2 else if_constant if (people == people[0]).all() else None
    return MatchedLevel(members, units, people, undefined)


def _means(units: IntArray, values: FloatArray, n: int) -> FloatArray:
    return sums(units, values, n) / counts(units, n)
