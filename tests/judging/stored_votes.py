"""Many votes at once, for tests that need their number and not how they were given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta

from django.utils import timezone

from judging.models import Assignment, Campaign, CampaignPair, User, Vote


def store_votes(
    campaign: Campaign,
    annotator: User,
    seconds: Sequence[float | None],
    *,
    choice: Callable[[CampaignPair], str] = lambda pair: "first",
) -> list[Vote]:
    """Store a vote on each next pair that this person has not seen, in the order of the campaign. seconds: of each."""
    seen = annotator.assignments.filter(campaign=campaign).values("pair")
    pairs = campaign.pairs.exclude(pk__in=seen).select_related("one", "other").order_by("position")
    now = timezone.now()
    assignments = [
        Assignment(
            campaign=campaign,
            pair=pair,
            annotator=annotator,
            status=Assignment.Status.VOTED,
            swapped=False,
            held_until=now + timedelta(minutes=30),
            shown_at=now,
            answered_at=now + timedelta(milliseconds=number),
        )
        for number, pair in enumerate(pairs[: len(seconds)])
    ]
    assert len(assignments) == len(seconds)
    return Vote.objects.bulk_create(
        Vote(
            assignment=one,
            user=annotator,
            rater=annotator.rater_name,
            context_id=one.pair.one.context_id,
            attribute_id=one.pair.attribute_id,
            first=one.pair.one,
            second=one.pair.other,
            choice=choice(one.pair),
            seconds=time,
            voted_at=one.answered_at,
        )
        for one, time in zip(Assignment.objects.bulk_create(assignments), seconds, strict=True)
    )
