"""Raters: people and judges as one type, so that the same figures serve both."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from evenhand.numerics import Comparisons, RatingTable, Scores, Votes, score_comparisons, split_by_rater
from evenhand.numerics.arrays import BoolArray, IntArray
from judging.models import Run
from rankings.loading import Answers, CandidateTable, People


@dataclass(frozen=True, slots=True)
class Rater:
    """A person or a judge, with their answers for one attribute.

    name: unique among raters. run: of a judge; None for a person.
    comparisons: the answered ordered pairs, raw; for a scoring judge, every pair of scored candidates once.
    unparsed, errors: numbers of a judge's records without an answer.
    recorded: bool, (n_contexts,). Contexts with a record of the rater.
    """

    name: str
    run: Run | None
    comparisons: Comparisons
    unparsed: int
    errors: int
    recorded: BoolArray

    @property
    def kind(self) -> Literal["human", "judge"]:
        return "human" if self.run is None else "judge"

    @property
    def sees_pairs(self) -> bool:
        """Return True if the rater sees two candidates in an order."""
        return self.run is None or not self.run.is_scoring


@dataclass(frozen=True, slots=True)
class Panel:
    """All raters of one attribute: people first, numbered as in the votes, then judges.

    lengths: int, (n_candidates,). Characters of the candidates' texts.
    table: the answer of each rater (row) to each unordered pair with any answer (column).
    """

    raters: Sequence[Rater]
    votes: Votes
    lengths: IntArray
    table: RatingTable

    @property
    def people(self) -> IntArray:
        """Return the rows of people."""
        return self._rows("human")

    @property
    def judges(self) -> IntArray:
        """Return the rows of judges."""
        return self._rows("judge")

    def votes_of_others(self, row: int) -> Votes:
        """Return the votes of all people but this rater."""
        return self.votes.select(self.votes.raters != row)

    def _rows(self, kind: str) -> IntArray:
        return np.array([row for row, rater in enumerate(self.raters) if rater.kind == kind], dtype=np.intp)


def panel_of(table: CandidateTable, people: People, answers: Sequence[tuple[Run, Answers]], lengths: IntArray) -> Panel:
    """Return the raters of one attribute: all people who voted, and each run with its answers."""
    raters = raters_of(table, people, answers)
    ratings = RatingTable.of_pairs([rater.comparisons for rater in raters])
    return Panel(raters, people.votes, lengths, ratings)


def raters_of(table: CandidateTable, people: People, answers: Sequence[tuple[Run, Answers]]) -> list[Rater]:
    """Return all people who voted, and each run with its answers."""
    persons = [
        Rater(name, None, votes, 0, 0, recorded_contexts(votes))
        for name, votes in zip(people.raters, split_by_rater(people.votes), strict=True)
    ]
    return [*persons, *(judge_of(table, run, own) for run, own in answers)]


def judge_of(table: CandidateTable, run: Run, answers: Answers) -> Rater:
    """Return a run as a rater. Needs the run's judge."""
    _, unparsed, errors = answers.outcomes.sum(axis=0).tolist()
    name = f"{run.judge.name} (run {run.pk})"
    return Rater(name, run, pairs_of(table, answers), unparsed, errors, answers.recorded)


def pairs_of(table: CandidateTable, answers: Answers) -> Comparisons:
    """Return the comparisons of a run; for a scoring run, the higher of two scores, each pair in rising order."""
    if answers.values is None:
        return answers.comparisons
    return replace(score_comparisons(Scores.of_values(answers.values), table.contexts), starts=table.starts)


def once_each(comparisons: Comparisons) -> Comparisons:
    """Keep the first answer to each ordered pair; a person may have voted on it again."""
    keys = comparisons.first * np.intp(comparisons.n_candidates) + comparisons.second
    return comparisons.select(np.sort(np.unique(keys, return_index=True)[1]))


def recorded_contexts(comparisons: Comparisons) -> BoolArray:
    """Return True for each context with a comparison, (n_contexts,)."""
    return np.bincount(comparisons.contexts, minlength=comparisons.n_contexts) > 0
