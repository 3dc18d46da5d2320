"""The working session and the numbers of pairs of an annotator, as their pages show them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from judging.models import Assignment, Campaign, Participation, User
from judging.services.invitations.screening import screened_out

BREAK, BREAK_AFTER = timedelta(minutes=10), 50
MOST_COUNTED = 200


@dataclass(frozen=True, slots=True)
class WorkingSession:
    """Answers since the last break of ten minutes, in all campaigns, up to 200, and the minutes since the first.

    needs_break: true after 50 answers without a break, until the annotator dismisses the hint.
    """

    answers: int
    minutes: int
    needs_break: bool


def working_session(annotator: User, *, dismissed_at: datetime | None = None) -> WorkingSession:
    """Return the annotator's current session. dismissed_at: when they last dismissed the hint to take a break."""
    times = _times_since_break(annotator)
    minutes = int((timezone.now() - times[-1]).total_seconds() // 60) if times else 0
    later = times if dismissed_at is None else [time for time in times if time > dismissed_at]
    return WorkingSession(answers=len(times), minutes=minutes, needs_break=len(later) >= BREAK_AFTER)


def _times_since_break(annotator: User) -> list[datetime]:
    """Return the times of the answers since the last break, latest first."""
    answered = Assignment.objects.filter(annotator=annotator).answered().values_list("answered_at", flat=True)
    times, later = [], timezone.now()
    for earlier in answered[:MOST_COUNTED]:
        if earlier is None or later - earlier > BREAK:
            break
        times.append(earlier)
        later = earlier
    return times


def told_progress(campaigns: Iterable[Campaign], annotator: User) -> list[Campaign]:
    """Return campaigns with the person's progress, and keep the numbers, because the person reads them now.

    campaigns: of `with_own_progress`. Somebody who is screened out has no pair left in one.
    """
    told = list(campaigns)
    for campaign in told:
        if annotator.pk in screened_out(campaign, annotator):
            campaign.own_part = 0  # type: ignore[attr-defined]  # annotated
    Participation.objects.keep_told(annotator, {campaign.pk: campaign.own_progress for campaign in told})
    return told
