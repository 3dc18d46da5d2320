"""Candidates with both a human score and a ranking's score, grouped for correlations."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, counts, sums
from evenhand.numerics.pairs import row_differences
from evenhand.numerics.ranks import groups_of_equal_size
from evenhand.numerics.scores import Scores, rounded

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
    """Contexts with the same number of candidates with both scores, two or more.

    contexts: int, (n_contexts,). members: int, (n_contexts, size). Candidates.
    people: float, (n_contexts, size). Human scores, rounded.
    """

    contexts: IntArray
    members: IntArray
    people: FloatArray

    @cached_property
    def varied(self) -> "ContextGroup":
        """The contexts whose human scores are not all equal."""
        differ = (self.people != self.people[:, :1]).any(axis=1)
        return self if differ.all() else ContextGroup(self.contexts[differ], self.members[differ], self.people[differ])

    @cached_property
    def signs(self) -> IntArray:
        """Human preference on each pair: 1, 0 or -1, (n_contexts, n_pairs)."""
        return np.sign(row_differences(self.people)).astype(np.intp)

    def predicted(self, values: FloatArray) -> FloatArray:
        """Return the scores of rankings, rounded, (…, n_contexts, size). values: float, (…, n_candidates)."""
        return rounded(values[..., self.members])


@dataclass(frozen=True, eq=False)
class MatchedLevel:
    """Units that are correlated together: candidates, or systems, which are means of candidates.

    members: int, (n_members,). Candidates. units: int, (n_members,). Unit of each.
    people: float, (n_units,). Mean human scores, rounded. undefined: reason if they cannot be ranked; else None.
    """

    members: IntArray
    units: IntArray
    people: FloatArray
    undefined: str | None

    def predicted(self, scores: Scores) -> FloatArray:
        """Return the mean scores of a ranking, rounded, (n_units,)."""
        return rounded(_means(self.units, scores.values[self.members], len(self.people)))


@dataclass(frozen=True, eq=False)
class MatchedScores:
    """Candidates with both a human score and a score of the ranking.

    both: bool, (n_candidates,). True for these candidates.
    recorded: bool, (n_contexts,). Contexts with a record in the run that are in the row's subset.
    """

    human: HumanScores
    both: BoolArray
    recorded: BoolArray

    @classmethod
    def of(cls, scores: Scores, human: HumanScores, recorded: BoolArray) -> "MatchedScores":
        """Match the candidates of recorded contexts."""
        return cls(human, scores.defined & ~np.isnan(human.scores) & recorded[human.contexts], recorded)

    def candidates_of(self, contexts: BoolArray) -> float:
        """Return the mean number of matched candidates of some contexts. contexts: bool, (n_contexts,)."""
        return float(counts(self.human.contexts[self.both], len(contexts))[contexts].mean())

    @cached_property
    def groups(self) -> list[ContextGroup]:
        """All contexts with two or more matched candidates."""
        return [
            ContextGroup(self.human.contexts[members[:, 0]], members, rounded(self.human.scores[members]))
            for members in groups_of_equal_size(self.human.contexts, self.both)
            if members.shape[1] > 1
        ]

    @cached_property
    def pooled(self) -> MatchedLevel:
        """All matched candidates, one unit each."""
        members = np.flatnonzero(self.both)
        return self._level(members, np.arange(len(members)), TOO_FEW_CANDIDATES, HUMAN_CONSTANT)

    @cached_property
    def systems(self) -> MatchedLevel:
        """All systems, each the mean of its matched candidates."""
        members = np.flatnonzero(self.both & (self.human.systems >= 0))
        units = np.unique(self.human.systems[members], return_inverse=True)[1]
        return self._level(members, units, TOO_FEW_SYSTEMS, SYSTEMS_CONSTANT)

    def _level(self, members: IntArray, units: IntArray, if_few: str, if_constant: str) -> MatchedLevel:
        n = int(units.max(initial=-1)) + 1
        people = rounded(_means(units, self.human.scores[members], n))
        undefined = if_few if n < 2 else if_constant if (people == people[0]).all() else None
        return MatchedLevel(members, units, people, undefined)


def match_all_rankings(rankings: Iterable[Scores], human: HumanScores, recorded: BoolArray) -> Iterator[MatchedScores]:
    """Yield the match of each ranking. Rankings that score the same candidates share one object."""
    known: dict[bytes, MatchedScores] = {}
    for scores in rankings:
        matched = MatchedScores.of(scores, human, recorded)
        yield known.setdefault(matched.both.tobytes(), matched)


def _means(units: IntArray, values: FloatArray, n: int) -> FloatArray:
    return sums(units, values, n) / counts(units, n)
