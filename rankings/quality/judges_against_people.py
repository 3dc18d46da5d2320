"""The accuracy of each run against people, with intervals over contexts, people and both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from judging.models import Attribute, Run
from rankings.agreement.raters import pairs_of
from rankings.loading import held_out_votes
from rankings.numerics import Comparisons, Figure
from rankings.numerics.accuracy import accuracy, human_preferences
from rankings.numerics.reliability.people_intervals import ChangeWithoutPerson, PeopleIntervals, accuracy_over_people
from rankings.report.report_json import Flat, Help, IfAny, IntervalFigure
from rankings.report.report_rows import Sources
from rankings.report.run_names import RunName

NO_RANDOM_PAIRS = "no campaign drew pairs at random that people voted on"


@dataclass(frozen=True)
class LeftOutRater:
    """A person whose votes change the accuracy most. change: accuracy without the votes, less that with them."""

    rater: str
    change: float


@dataclass(frozen=True)
class JudgeAgainstPeopleRow:
    """The accuracy of a run against the strict majority of the votes, three times, each with another interval."""

    name: Flat[RunName]
    people: Annotated[int, Help("People who voted on pairs of the run.")]
    accuracy_over_contexts: Annotated[IntervalFigure, Help("The interval draws contexts.")]
    accuracy_over_people: Annotated[IntervalFigure, Help("The interval draws people, with all their votes.")]
    accuracy_over_both: Annotated[IntervalFigure, Help("The interval draws contexts and people.")]
    accuracy_on_random_pairs: Annotated[
        IntervalFigure, Help("On votes on pairs that campaigns drew at random. The interval draws contexts.")
    ]
    without: Annotated[IfAny[LeftOutRater], Help("The person whose votes change the accuracy most.")] = None


@dataclass(frozen=True, slots=True)
class _Accuracies:
    """The accuracies of one run. raters: names of the people by number."""

    over: PeopleIntervals
    on_random_pairs: Figure
    raters: Sequence[str]


def rows_of_judges(attribute: Attribute, runs: Sequence[Run]) -> list[JudgeAgainstPeopleRow]:
    """Return a row for each run with answers on pairs that people voted on. runs: of the attribute."""
    sources = Sources(attribute.dataset)
    rows = [(run, _accuracies(sources, run)) for run in runs]
    return [_row(run, accuracies) for run, accuracies in rows if accuracies.over.people]


def _accuracies(sources: Sources, run: Run) -> _Accuracies:
    own = sources.without(run.exclusion)
    people = own.people(run.attribute)
    comparisons = pairs_of(own.table, own.answers(run))
    over = accuracy_over_people(comparisons, people.votes, len(people.raters))
    return _Accuracies(over, _on_random_pairs(own, run, comparisons), people.raters)


def _on_random_pairs(own: Sources, run: Run, comparisons: Comparisons) -> Figure:
    """Return the accuracy against the majority of the votes on held-out pairs."""
    votes = held_out_votes(own.table, run.attribute)
    if not len(votes):
        return Figure.missing(NO_RANDOM_PAIRS, n=0)
    no_scores = np.full(comparisons.n_candidates, np.nan)
    return accuracy(comparisons, human_preferences(comparisons, no_scores, votes))


def _row(run: Run, accuracies: _Accuracies) -> JudgeAgainstPeopleRow:
    over = accuracies.over
    change: ChangeWithoutPerson | None = over.largest_change
    left_out = None if change is None else LeftOutRater(accuracies.raters[change.rater], change.difference)
    return JudgeAgainstPeopleRow(
        RunName.of(run),
        over.people,
        accuracy_over_contexts=over.over_contexts,
        accuracy_over_people=over.over_people,
        accuracy_over_both=over.over_both,
        accuracy_on_random_pairs=accuracies.on_random_pairs,
        without=left_out,
    )
