"""An annotator's own progress in a campaign, as the voting page shows it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count
from django.utils import timezone

from judging.models import Assignment, Participation, User
from judging.services.campaign_pairs.due_checks import count_checks_left

COUNTED_FOR = timedelta(minutes=1)
BREAK, BREAK_AFTER = timedelta(minutes=10), 50
MOST_COUNTED = 200


@dataclass(frozen=True, slots=True)
class OwnProgress:
    """Own votes and skips. total: votes, and pairs left to vote on; about a minute old."""

    votes: int
    skips: int
    total: int


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


def own_progress(participation: Participation) -> OwnProgress:
    """Return the annotator's progress. All pairs are counted once a minute only, because that takes long for many."""
    own = Assignment.objects.of(participation.annotator, campaign=participation.campaign)
    answers = dict(own.order_by().values_list("status").annotate(number=Count("pk")))
    votes = answers.get(Assignment.Status.VOTED, 0)
    open_to_all = _recently_counted(participation) or _count_pairs(participation, votes)
    part = open_to_all if participation.most_pairs is None else min(open_to_all, participation.most_pairs)
    total = max(votes, part)
    return OwnProgress(votes=votes, skips=answers.get(Assignment.Status.SKIPPED, 0), total=total)


def recount_pairs(assignment: Assignment) -> None:
    """Count the annotator's pairs again for the next page, because their own skip changed the number."""
    taking_part = Participation.objects.filter(campaign=assignment.campaign_id, annotator=assignment.annotator_id)
    taking_part.update(counted_at=None)


def _recently_counted(participation: Participation) -> int | None:
    counted_at = participation.counted_at
    return participation.pairs_total if counted_at and counted_at >= timezone.now() - COUNTED_FOR else None


def _count_pairs(participation: Participation, votes: int) -> int:
    """Count own votes, pairs left and the checks among them, and store the number."""
    campaign, annotator = participation.campaign, participation.annotator
    left = campaign.free_pairs(annotator).count() + campaign.pairs_to_choose()
    left += Assignment.objects.of(annotator, campaign=campaign).answerable().count()
    left += count_checks_left(campaign, annotator, ordinary_left=left)
    participation.pairs_total, participation.counted_at = votes + left, timezone.now()
    participation.save(update_fields=["pairs_total", "counted_at"])
    return participation.pairs_total
