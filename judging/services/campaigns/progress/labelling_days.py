"""Votes or ratings of a campaign by day, and its skips by reason, for researchers. Checks of people are left out."""

from dataclasses import dataclass
from datetime import date
from itertools import accumulate

from django.db.models import Count
from django.db.models.functions import TruncDate

from judging.models import CHECK_PURPOSES, Assignment, Campaign, SkipReason
from judging.models.labelling.assignments import AssignmentQuerySet


@dataclass(frozen=True, slots=True)
class LabellingDay:
    """Votes of one day, in UTC. people: annotators who voted. total: all votes up to the end of the day."""

    day: date
    votes: int
    people: int
    total: int


@dataclass(frozen=True, slots=True)
class SkipCount:
    """Skipped pairs with one reason. text: the reason in the words that annotators read."""

    reason: str
    text: str
    skips: int


def labelled_by_people(campaign: Campaign) -> AssignmentQuerySet:
    """Return the pairs that were voted on, or the texts that were rated, without excluded answers and checks."""
    return Assignment.objects.counting().filter(campaign=campaign)


def labelling_days(campaign: Campaign) -> list[LabellingDay]:
    """Return the days with votes or ratings, the earliest first. A changed one stays on the day of the first answer."""
    by_day = labelled_by_people(campaign).annotate(day=TruncDate("answered_at")).order_by("day").values_list("day")
    counts = list(by_day.annotate(votes=Count("pk"), people=Count("annotator", distinct=True)))
    totals = accumulate(number for _, number, _ in counts)
    return [
        LabellingDay(day, votes=number, people=people, total=total)
        for (day, number, people), total in zip(counts, totals, strict=True)
    ]


def skip_counts(campaign: Campaign) -> list[SkipCount]:
    """Count the skipped pairs by reason, the most frequent first. Reasons that nobody gave are left out."""
    skipped = Assignment.objects.filter(campaign=campaign, status=Assignment.Status.SKIPPED)
    by_reason = skipped.exclude(purpose__in=CHECK_PURPOSES).order_by().values_list("skip_reason")
    counts = by_reason.annotate(number=Count("pk")).order_by("-number", "skip_reason")
    return [SkipCount(reason, text=SkipReason(reason).label, skips=number) for reason, number in counts]
