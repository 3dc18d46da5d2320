"""The sentence on top of the page of vote quality, the columns of its table, and judges against single votes."""

from collections.abc import Iterator, Sequence
from functools import partial

from django.http import QueryDict
from django.urls import reverse

from evenhand.numerics import Figure
from evenhand.numerics.reliability.people_intervals import NO_PEOPLE
from evenhand.numerics.reliability.rater_flags import QUALITY_FLAGS
from evenhand.units import counted
from rankings.quality.judges_against_people import JudgeAgainstPeopleRow
from rankings.quality.quality_report import QualityReport, RaterQualityRow
from rankings.tables.figure_table import FigureTable, table_by_address
from rankings.tables.table import Column, Row, Table

_DEFINITION = "quality/#judges-against-these-people"
_ACCURACY = partial(Column, group="Accuracy on votes", definition=_DEFINITION, reference=0.5)
OVER_TEXTS = _ACCURACY(name="accuracy_over_contexts", title="over texts", marks_best=True)
OVER_PEOPLE = _ACCURACY(name="accuracy_over_people", title="over people")
OVER_BOTH = _ACCURACY(name="accuracy_over_both", title="over both")
ON_RANDOM_PAIRS = _ACCURACY(name="accuracy_on_random_pairs", title="on random pairs")
WITHOUT_ONE = Column(name="without", title="Without one person", definition=_DEFINITION)

NOTES = (
    "Accuracy against the majority of these votes; human scores do not count here.",
    "The intervals say how it would move with other texts, with other people, and with both.",
)
NOTE_ON_RANDOM_PAIRS = "Random pairs: those that campaigns drew at random. A rule chose the others."
NOTE_ON_ONE_PERSON = (
    "Without one person: the largest change of the accuracy, in percentage points, when one person’s votes are left "
    "out. The name next to the judge is the person left out."
)


def judges_against_votes_table(judges: Sequence[JudgeAgainstPeopleRow], address: QueryDict) -> FigureTable:
    """Return the table of a page, by accuracy unless the address sorts it."""
    columns = (OVER_TEXTS, OVER_PEOPLE, OVER_BOTH, ON_RANDOM_PAIRS, WITHOUT_ONE)
    table = Table(("Judge", "Prompt"), columns, tuple(map(_row, judges)), notes=(*NOTES, *_notes(judges)))
    return table_by_address(table, "Judges against these people", address, sort=OVER_TEXTS.name)


def _notes(judges: Sequence[JudgeAgainstPeopleRow]) -> Iterator[str]:
    if any(row.accuracy_on_random_pairs.value is not None for row in judges):
        yield NOTE_ON_RANDOM_PAIRS
    if any(row.without for row in judges):
        yield NOTE_ON_ONE_PERSON


def _row(row: JudgeAgainstPeopleRow) -> Row:
    change = Figure(row.without.change) if row.without else Figure.missing(NO_PEOPLE)
    figures = (
        row.accuracy_over_contexts,
        _with_interval(row.accuracy_over_people),
        _with_interval(row.accuracy_over_both),
        row.accuracy_on_random_pairs,
        change,
    )
    return Row(
        (row.name.judge, row.name.prompt),
        figures,
        rivals="judges",
        detail=f"run {row.name.run}" + (f" · one person: {row.without.rater}" if row.without else ""),
        href=reverse("run-results", args=[row.name.run]),
    )


def _with_interval(accuracy: Figure) -> Figure:
    """Return the accuracy, which another column has already, only where it has an interval of its own."""
    return accuracy if accuracy.low is not None else Figure.missing(accuracy.undefined or "no interval")


MOST_NAMED = 5


def quality_sentence(report: QualityReport) -> str:
    """Write who should be looked at, and why."""
    if not report.raters:
        return "Nobody has voted on this attribute yet."
    votes = counted(sum(row.votes for row in report.raters), "vote")
    people = f"{len(report.raters):,} {'person' if len(report.raters) == 1 else 'people'}"
    excluded = sum(row.excluded is not None for row in report.raters)
    begin = f"{people} gave {votes}{f'; those of {excluded:,} are excluded' if excluded else ''}."
    flagged = [row for row in report.raters if row.flags and row.excluded is None]
    if not flagged:
        return f"{begin} No check of votes raises a flag{' about the others' if excluded else ''}."
    named = " ".join(map(_flag_sentence, flagged[:MOST_NAMED]))
    rest = len(flagged) - MOST_NAMED
    return f"{begin} {named}{f' {rest:,} more have flags in the table.' if rest > 0 else ''}"


def columns_with_values(report: QualityReport) -> dict[str, bool]:
    """Return name -> True for the groups of columns in which somebody has a value."""
    rows = report.raters
    return {
        "repeats": any(row.self_consistency.value is not None for row in rows),
        "gold": any(row.gold_accuracy.value is not None for row in rows),
        "times": any(row.median_seconds is not None for row in rows),
        "dates": any(row.drift.value is not None for row in rows),
    }


def _flag_sentence(row: RaterQualityRow) -> str:
    return f"{row.rater} {' and '.join(QUALITY_FLAGS[flag] for flag in row.flags)}."
