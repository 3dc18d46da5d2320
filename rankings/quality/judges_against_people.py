"""The accuracy of each run against people, with intervals over contexts, people and both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from judging.models import Attribute, Run
from rankings.agreement.raters import pairs_of
from rankings.numerics.reliability.people_intervals import ChangeWithoutPerson, PeopleIntervals, accuracy_over_people
from rankings.report.report_json import Flat, Help, IfAny, IntervalFigure
from rankings.report.report_rows import Sources
from rankings.report.run_names import RunName


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
    without: Annotated[IfAny[LeftOutRater], Help("The person whose votes change the accuracy most.")] = None


def rows_of_judges(attribute: Attribute, runs: Sequence[Run]) -> list[JudgeAgainstPeopleRow]:
    """Return a row for each run with answers on pairs that people voted on. runs: of the attribute."""
    sources = Sources(attribute.dataset)
    rows = [(run, _intervals(sources, run)) for run in runs]
    return [_row(run, intervals, raters) for run, (intervals, raters) in rows if intervals.people]


def _intervals(sources: Sources, run: Run) -> tuple[PeopleIntervals, Sequence[str]]:
    own = sources.without(run.exclusion)
    people = own.people(run.attribute)
    comparisons = pairs_of(own.table, own.answers(run))
    return accuracy_over_people(comparisons, people.votes, len(people.raters)), people.raters


def _row(run: Run, intervals: PeopleIntervals, raters: Sequence[str]) -> JudgeAgainstPeopleRow:
    change: ChangeWithoutPerson | None = intervals.largest_change
    left_out = None if change is None else LeftOutRater(raters[change.rater], change.difference)
    return JudgeAgainstPeopleRow(
        RunName.of(run),
        intervals.people,
        accuracy_over_contexts=intervals.over_contexts,
        accuracy_over_people=intervals.over_people,
        accuracy_over_both=intervals.over_both,
        without=left_out,
    )
