"""How fast a campaign gets its votes, when it will have them all, and who is behind."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone

from judging.models import Campaign, CampaignState, Participation
from judging.services.campaigns.campaign_progress import AnnotatorProgress, CampaignProgress
from judging.services.campaigns.campaign_states import NOT_OPEN
from judging.services.campaigns.labelling_days import labelled_by_people

PACE_DAYS = 7
DAY = timedelta(days=1)
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
    """The part of one person. part: votes that they should give in all; None for somebody who was removed.

    standing: "finished", "not started", "behind", or empty.
    """

    person: AnnotatorProgress
    part: int | None
    standing: str


def labelling_pace(campaign: Campaign, progress: CampaignProgress, *, now: datetime | None = None) -> LabellingPace:
    """Return the present pace of a campaign, and when its last vote is expected."""
    now = now or timezone.now()
    votes = labelled_by_people(campaign)
    first = votes.order_by("answered_at").values_list("answered_at", flat=True).first()
    if first is None:
        return LabellingPace(None, None, "nobody has voted yet")
    recent = votes.filter(answered_at__gt=now - PACE_DAYS * DAY).count()
    pace = recent / min(max((now - first) / DAY, 1), PACE_DAYS)
    left = progress.planned - progress.done
    if left <= 0:
        return LabellingPace(pace, None, "every vote is in")
    if campaign.state != CampaignState.OPEN:
        return LabellingPace(pace, None, NOT_OPEN[campaign.state].rstrip(".").lower())
    if not recent:
        return LabellingPace(0.0, None, f"nobody voted in the last {PACE_DAYS} days")
    return LabellingPace(pace, (now + left / pace * DAY).date())


def parts_of_people(
    campaign: Campaign, progress: CampaignProgress, people: list[AnnotatorProgress]
) -> list[PersonsPart]:
    """Return each person's part: their own limit, else an equal share of all votes.

    A person is behind if they gave fewer than half the votes that they would have if all went on equally fast.
    """
    limits = dict(Participation.objects.filter(campaign=campaign).values_list("annotator", "most_pairs"))
    equal = -(-progress.planned // len(limits)) if limits else 0
    most = min(equal, progress.pairs)
    parts = {person: min(most, limit) if limit else most for person, limit in limits.items()}
    total = sum(parts.values())
    share = progress.done / total if total else 0.0
    return [_part_of(person, parts.get(person.annotator.pk), share) for person in people]


def _part_of(person: AnnotatorProgress, part: int | None, share: float) -> PersonsPart:
    if part is None:
        return PersonsPart(person, None, "")
    if person.votes >= part:
        return PersonsPart(person, part, "finished")
    if not person.votes:
        return PersonsPart(person, part, "not started")
    return PersonsPart(person, part, "behind" if person.votes < BEHIND_SHARE * share * part else "")
