"""The page of the quality of people's votes: its sentence, its table, and judges against single votes."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evenhand.numerics import Figure
from evenhand.numerics.reliability.people_intervals import NO_PEOPLE
from evenhand.numerics.reliability.rater_flags import QUALITY_FLAGS
from evenhand.units import counted
from judging.models import Attribute, Campaign, Dataset, User, Vote, VoteExclusion
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset, visible_runs
from rankings.quality.judges_against_people import JudgeAgainstPeopleRow
from rankings.quality.quality_report import QualityReport, RaterQualityRow, quality_report
from rankings.report.forms import AttributeForm
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


VOTE_FILES = (("csv", "CSV"), ("jsonl", "JSON Lines"), ("parquet", "Parquet"))


@require_safe
@researchers_only
def dataset_quality(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Show how carefully each person voted on one attribute, with forms to exclude and restore their votes."""
    dataset = visible_dataset(request, dataset_id)
    form = AttributeForm(request.GET, attributes=list(dataset.attributes.all()))
    attribute = form.chosen()
    report = (
        quality_report(attribute, visible_runs(request).ordinary().filter(dataset=dataset).order_by("pk"))
        if attribute
        else None
    )
    exclusions = dataset.vote_exclusions.select_related("campaign", "excluded_by", "restored_by")
    changeable = VoteExclusion.objects.changeable_by(request.user).active()
    context = {
        "dataset": dataset,
        "form": form,
        "report": report,
        "sentence": quality_sentence(report) if report else "",
        "has": columns_with_values(report) if report else {},
        "judges_table": judges_against_votes_table(report.judges, request.GET) if report else None,
        "may_exclude": Dataset.objects.changeable_by(request.user).filter(pk=dataset.pk).exists(),
        "own_campaigns": campaigns_by_rater(attribute, request.user) if attribute else {},
        "exclusions": exclusions,
        "changeable": set(changeable.filter(dataset=dataset).values_list("pk", flat=True)),
        "vote_files": VOTE_FILES,
        "campaigns": Campaign.objects.visible_to(request.user).filter(attributes=attribute) if attribute else (),
    }
    return render(request, "rankings/quality/quality.html", context)


def campaigns_by_rater(attribute: Attribute, user: User) -> dict[str, list[Campaign]]:
    """Return the campaigns of each rater from which a person may exclude the rater's votes."""
    campaigns = Campaign.objects.with_votes_changeable_by(user).filter(attributes=attribute).in_bulk()
    votes = Vote.objects.filter(attribute=attribute, assignment__campaign__in=campaigns).order_by()
    by_rater: dict[str, list[Campaign]] = defaultdict(list)
    for rater, campaign in votes.values_list("rater", "assignment__campaign").distinct():
        by_rater[rater].append(campaigns[campaign])
    return by_rater
