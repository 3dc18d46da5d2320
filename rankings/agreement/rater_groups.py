"""Groups of people, such as experts and authors, and their agreement vote by vote: MT-Bench's table [Zheng2023]."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from evenhand.numerics import (
    Figure,
    Votes,
    accuracy_per_vote,
    accuracy_per_vote_decided,
    agreement_per_vote,
    agreement_per_vote_decided,
    decide,
)
from evenhand.numerics.arrays import BoolArray
from evenhand.refusals import Refused
from rankings.agreement.agreement_row import VoteAgreementRow
from rankings.agreement.raters import Panel
from rankings.loading import CandidateTable
from rankings.report.report_choice import ALL, parse_group


@dataclass(frozen=True, slots=True)
class RaterGroup:
    """Several people under one name. patterns: of their names, where * stands for any characters."""

    name: str
    patterns: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "RaterGroup":
        """Read NAME=PATTERN,PATTERN. Raises Refused for any other text."""
        return parse_group(text, cls, expected="raters: {} — write NAME=PATTERN,PATTERN, for example expert=expert_*")

    def has(self, rater: str) -> bool:
        return any(fnmatchcase(rater, pattern) for pattern in self.patterns)


EVERYONE = (RaterGroup("people", ("*",)),)
"""The usual group: everyone who voted."""


def require_groups(groups: Sequence[RaterGroup], raters: Sequence[str]) -> None:
    """Raise Refused for groups without a member, of one name, or with a common member. raters: all who voted."""
    times = Counter(group.name for group in groups)
    problems = [f'raters: the group "{name}" is defined twice' for name, count in times.items() if count > 1]
    known = ", ".join(raters[:10]) or "nobody"
    problems += [
        f'raters: nobody in "{group.name}" has voted; those who have: {known}'
        for group in groups
        if not any(map(group.has, raters))
    ]
    for rater in raters:
        names = [group.name for group in groups if group.has(rater)]
        if len(names) > 1:
            problems.append(f'raters: "{rater}" is in two groups, {names[0]} and {names[1]}')
    if problems:
        raise Refused(*problems)


@dataclass(frozen=True, slots=True)
class _Side:
    """A group of people or a judge, with their votes."""

    name: str
    votes: Votes
    is_group: bool


def vote_agreement(panel: Panel, table: CandidateTable, groups: Sequence[RaterGroup]) -> list[VoteAgreementRow]:
    """Return the agreement within each group, between groups, and of each judge with each group.

    Rows are of all contexts, then of each subset of the table.
    """
    sides = [*_people(panel, groups), *_judges(panel)]
    couples = [(one, other) for place, one in enumerate(sides) for other in sides[place:] if one.is_group]
    return [
        _row(name, contexts, one, other)
        for name, contexts in _parts(table)
        for one, other in couples
        if one is not other or len(np.unique(one.votes.raters)) > 1
    ]


def _people(panel: Panel, groups: Sequence[RaterGroup]) -> Iterator[_Side]:
    for group in groups:
        members = [row for row in panel.people.tolist() if group.has(panel.raters[row].name)]
        if members:
            yield _Side(group.name, panel.votes.select(np.isin(panel.votes.raters, members)), is_group=True)


def _judges(panel: Panel) -> Iterator[_Side]:
    for row in panel.judges.tolist():
        rater = panel.raters[row]
        answers = rater.comparisons.with_p_first(decide(rater.comparisons.p_first))
        yield _Side(rater.name, Votes(answers, np.full(len(answers), row)), is_group=False)


def _parts(table: CandidateTable) -> Iterator[tuple[str, BoolArray]]:
    yield ALL, np.ones(table.n_contexts, dtype=bool)
    for number, name in enumerate(table.subset_names):
        yield name, table.subset_numbers == number


def _row(subset: str, contexts: BoolArray, one: _Side, other: _Side) -> VoteAgreementRow:
    mine, theirs = one.votes.of_contexts(contexts), other.votes.of_contexts(contexts)
    figures: tuple[Figure, Figure]
    if one is other:
        figures = agreement_per_vote(mine), agreement_per_vote_decided(mine)
    else:
        figures = (
            accuracy_per_vote(theirs.comparisons, mine),
            accuracy_per_vote_decided(theirs.comparisons, mine),
        )
    return VoteAgreementRow(subset, one.name, other.name, *figures)
