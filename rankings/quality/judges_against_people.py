"""The accuracy of each run against people, with intervals over contexts, people and both."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from evenhand.numerics import Comparisons, Figure
from evenhand.numerics.accuracy import accuracy, human_preferences
from evenhand.numerics.figure import IntervalFigure
from evenhand.numerics.reliability.people_intervals import accuracy_over_people
from evenhand.report_json import Flat, Help, IfAny
from judging.models import Attribute, Run
from rankings.agreement.raters import pairs_of
from rankings.loading import held_out_votes
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


def rows_of_judges(attribute: Attribute, runs: Sequence[Run]) -> list[JudgeAgainstPeopleRow]:
    """Return a row for each run with answers on pairs that people voted on. runs: of the attribute."""
    sources = Sources(attribute.dataset)
    rows = (_row(sources.without(run.exclusion), run) for run in runs)
    return [row for row in rows if row.people]


def _on_random_pairs(own: Sources, run: Run, comparisons: Comparisons) -> Figure:
    """Return the accuracy against the majority of the votes on held-out pairs."""
    votes = held_out_votes(own.table, run.attribute)
    if not len(votes):
        return Figure.missing(NO_RANDOM_PAIRS, n=0)
    return accuracy(comparisons, human_preferences(comparisons, None, votes))


def _row(own: Sources, run: Run) -> JudgeAgainstPeopleRow:
    people, comparisons = own.people(run.attribute), pairs_of(own.table, own.answers(run))
    over = accuracy_over_people(comparisons, people.votes, len(people.raters))
    change = over.largest_change
    return JudgeAgainstPeopleRow(
        RunName.of(run),
        over.people,
        accuracy_over_contexts=over.over_contexts,
        accuracy_over_people=over.over_people,
        accuracy_over_both=over.over_both,
        accuracy_on_random_pairs=_on_random_pairs(own, run, comparisons),
        without=None if change is None else LeftOutRater(people.raters[change.rater], change.difference),
    )
