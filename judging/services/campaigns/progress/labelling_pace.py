"""How fast a campaign gets its votes, when it will have them all, and who is behind."""

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from django.db.models import Max, Min, OuterRef, QuerySet, Sum
from django.db.models.functions import Least
from django.utils import timezone

from evenhand.report_json import Flat
from evenhand.units import counted
from judging.models import Campaign, CampaignState, Participation, Purpose
from judging.models.labelling.own_progress import OwnCounts
from judging.models.row_counts import count_rows
from judging.services.campaigns.campaign_states import NOT_OPEN
from judging.services.campaigns.progress.campaign_progress import (
    AnnotatorProgress,
    CampaignProgress,
    labelled_by_people,
)
from judging.services.invitations.completion import finished_people, people_over_limits, people_without_pairs
from judging.services.invitations.screening import screened_out

PACE_DAYS = 7
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
"""Votes within a shorter time give no pace by which to expect an end."""
FINISHED = "finished"
BEHIND_SHARE = 0.5
"""A person is behind with fewer than this share of the votes that their part would have by now."""


@dataclass(frozen=True, slots=True)
class LabellingPace:
    """Votes a day over the last seven days, or since the first vote, and the day of the last vote at this pace.

    undefined: why there is no such day; empty if there is one.
    """

    votes_per_day: float | None
    end: date | None
    undefined: str = ""


@dataclass(frozen=True, slots=True)
class PersonsPart:
    """The part of one person. part: votes and checks that they should give in all; None for somebody who was removed.

    It is never less than they gave, and what they gave once they finished.

    standing: one of people_over_limits, "finished" (see finished_people), "not started", "only skips", "behind", or
    empty.
    """

    person: Flat[AnnotatorProgress]
    part: int | None
    standing: str


def labelling_pace(campaign: Campaign, progress: CampaignProgress, *, now: datetime | None = None) -> LabellingPace:
    """Return the present pace of a campaign, and when its last vote is expected."""
    now = now or timezone.now()
    votes = labelled_by_people(campaign)
    span = votes.aggregate(first=Min("answered_at"), last=Max("answered_at"))
    first, last = span["first"], span["last"]
    if first is None or last is None:
        return LabellingPace(None, None, "nobody has voted yet")
    recent = votes.filter(answered_at__gt=now - PACE_DAYS * DAY).count()
    pace = recent / min(max((now - first) / DAY, 1), PACE_DAYS)
    left = progress.planned - _votes_on_places(campaign)
    if left <= 0:
        return LabellingPace(pace, None, "every vote is in")
    if campaign.state != CampaignState.OPEN:
        return LabellingPace(pace, None, NOT_OPEN[campaign.state].rstrip(".").lower())
    if not recent:
        return LabellingPace(0.0, None, f"nobody voted in the last {PACE_DAYS} days")
    if nobody_left := _too_few_people(campaign) or _nobody_has_pairs(campaign):
        return LabellingPace(pace, None, nobody_left)
    if last - first < HOUR:
        return LabellingPace(pace, None, f"it is too early, because all {campaign.answer_noun}s came within one hour")
    return LabellingPace(pace, (now + left / pace * DAY).date())


def _votes_on_places(campaign: Campaign) -> int:
    """Count the votes that pairs need and have. A restored vote may be one more than its pair needs."""
    votes = count_rows(labelled_by_people(campaign).filter(pair=OuterRef("pk")), by="pair")
    given = campaign.pairs.asked().annotate(given=Least(votes, campaign.votes_per_pair)).aggregate(sum=Sum("given"))
    return given["sum"] or 0


def assigned_people(campaign: Campaign) -> QuerySet[Participation]:
    """Return the parts of people who can get pairs: not screened out, and not excluded unless they go on."""
    own = campaign.participations.exclude(pk__in=campaign.participations.excluded())
    return own.exclude(annotator__in=screened_out(campaign))


def _too_few_people(campaign: Campaign) -> str:
    """Return "each pair needs 2 annotators, 1 is assigned", or an empty text if enough people take part.

    Votes of people who were removed stay, so some pairs may need fewer.
    """
    wanted, people = campaign.votes_per_pair, assigned_people(campaign).values("annotator")
    assigned = people.count()
    if assigned >= wanted:
        return ""
    votes = labelled_by_people(campaign).filter(pair=OuterRef("pk")).exclude(annotator__in=people)
    pairs = campaign.pairs.asked().annotate(votes_of_others=count_rows(votes, by="pair"))
    if assigned and not pairs.filter(votes_of_others__lt=wanted - assigned).exists():
        return ""
    number = f"{assigned or 'none'} {'is' if assigned < 2 else 'are'} assigned"
    return f"each {campaign.shown_noun} needs {counted(wanted, 'annotator')}, {number}"


def _nobody_has_pairs(campaign: Campaign) -> str:
    """Return "no annotator has pairs left", or an empty text if somebody has some."""
    people = set(assigned_people(campaign).values_list("annotator", flat=True))
    return f"no annotator has {campaign.shown_noun}s left" if people <= people_without_pairs(campaign) else ""


def parts_of_people(
    campaign: Campaign, progress: CampaignProgress, people: list[AnnotatorProgress]
) -> list[PersonsPart]:
    """Return each person's part: their own limit, else an equal share of all votes, with its checks.

    A person is behind if they gave fewer than half the votes that they would have if all went on equally fast.
    """
    limits = dict(Participation.objects.filter(campaign=campaign).values_list("annotator", "most_pairs"))
    equal = -(-progress.planned // len(limits)) if limits else 0
    gold = campaign.pairs.filter(purpose=Purpose.GOLD).count() if campaign.gold_share else 0
    most = campaign.progress_of(OwnCounts(free=min(equal, progress.pairs), unseen_gold=gold)).total
    parts = {person: min(most, limit) if limit else most for person, limit in limits.items()}
    total = sum(parts.values())
    share = (progress.done + sum(person.checks for person in people)) / total if total else 0.0
    finished, over = finished_people(campaign), people_over_limits(campaign)
    own = [
        _part_of(person, parts.get(person.annotator.pk), share, is_finished=person.annotator.pk in finished)
        for person in people
    ]
    return [replace(one, standing=over.get(one.person.annotator.pk, one.standing)) for one in own]


def _part_of(person: AnnotatorProgress, part: int | None, share: float, *, is_finished: bool) -> PersonsPart:
    if part is None:
        return PersonsPart(person, None, "")
    if is_finished:
        return PersonsPart(person, person.answered, FINISHED)
    part = max(part, person.answered)
    if not person.answered:
        return PersonsPart(person, part, "only skips" if person.skips else "not started")
    return PersonsPart(person, part, "behind" if person.answered < BEHIND_SHARE * share * part else "")
