"""Parts that votes and ratings share: locks, places, time, skips, undo and the history."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from evenhand.refusals import Refused
from judging.models import AnswerEvent, Assignment, Attribute, Enrolment, HumanScore, Participation, SkipReason, Vote
from judging.services.campaigns.campaign_states import require_taking_votes
from judging.services.campaigns.next_pair import hold, lock_annotator
from judging.services.campaigns.places_of_pairs import PlaceTaken, release_place

OUT_OF_DATE = "This page is out of date. Nothing was saved; please answer again."
PAIR_FULL = "This {noun} received all its {answers}s from others in the meantime. Your answer was not saved."
SKIP_CAME_LATE = (
    "You already answered this {noun}, perhaps in another tab. Your {answer} is kept; change it under Your {answer}s."
)
AFTER_CODE = "You have your completion code: you can change your {answer}, but not take it back. Nothing was changed."
KEPT_OF_VOTES = ("choice", "strength", "confidence", "comment")
CLOCK_TOLERANCE = timedelta(seconds=1)
"""A browser's clock may run ahead by this much before its time counts as impossible."""


@transaction.atomic
def skip_pair(assignment: Assignment, *, reason: str, milliseconds: int | None = None) -> None:
    """Skip a pair or a text, and withdraw an answer to it. The same skip again changes nothing.

    milliseconds: visible time that was not reported before, or None. Raises Refused if the reason is unknown,
    and for an answer of somebody who has their completion code, as `reopen_pair` does.
    """
    current = lock_assignment(assignment)
    if reason not in SkipReason.values:
        raise Refused(f"Please choose why you skip the {current.pair.campaign.shown_noun}.")
    if current.status == Assignment.Status.SKIPPED and current.skip_reason == reason:
        return
    require_taking_votes(current.pair.campaign)
    _require_before_code(current)
    count_visible_time(current, milliseconds or 0)
    current.has_place = False
    store_answer(current, Assignment.Status.SKIPPED, reason=reason)
    release_place(current)
    _withdraw_answer(current)
    add_event(current, AnswerEvent.Action.SKIPPED, skip_reason=reason)


def skip_open_pair(assignment: Assignment, *, reason: str, milliseconds: int | None = None) -> None:
    """Skip a pair or a text as `skip_pair` does, from a page that shows it as open.

    Raises Refused if it was answered in the meantime: an outdated page must not withdraw an answer.
    """
    if assignment.status == Assignment.Status.VOTED:
        campaign = assignment.pair.campaign
        require_taking_votes(campaign)
        raise Refused(SKIP_CAME_LATE.format(noun=campaign.shown_noun, answer=campaign.answer_noun))
    skip_pair(assignment, reason=reason, milliseconds=milliseconds)


@transaction.atomic
def reopen_pair(assignment: Assignment) -> None:
    """Withdraw an answer or skip, and open the pair or text again with the same sides.

    An open pair stays open. Raises Refused if a skipped pair has all its votes from others.
    """
    current = lock_assignment(assignment)
    if current.status == Assignment.Status.OPEN:
        return
    require_taking_votes(current.pair.campaign)
    _require_before_code(current)
    current.status, current.skip_reason, current.answered_at = Assignment.Status.OPEN, "", None
    current.save(update_fields=["status", "skip_reason", "answered_at"])
    hold_place(current)
    _withdraw_answer(current)
    add_event(current, AnswerEvent.Action.REOPENED)


def withdrawn_answer(assignment: Assignment) -> AnswerEvent | None:
    """Return the vote or rating that was withdrawn from an open pair last, with its details; None without one."""
    if assignment.guidelines_id is None:  # never answered
        return None
    latest = list(assignment.events.order_by("-pk")[:2])
    if len(latest) < 2 or latest[0].action != AnswerEvent.Action.REOPENED:
        return None
    return latest[1] if latest[1].choice or latest[1].rating is not None else None


@transaction.atomic
def add_visible_time(assignment: Assignment, *, milliseconds: int) -> None:
    """Add visible time to an open pair, so that it survives a reload. An answered pair keeps its time."""
    if current := lock_open_pair(assignment):
        count_visible_time(current, milliseconds)
        current.save(update_fields=["visible_milliseconds", "has_impossible_time"])


def count_visible_time(assignment: Assignment, milliseconds: int) -> None:
    """Add visible time, but never more than passed since the pair was first shown. Mark a pair with more."""
    now = timezone.now()
    passed = max(now - (assignment.shown_at or now), timedelta())
    reported = timedelta(milliseconds=assignment.visible_milliseconds + milliseconds)
    assignment.has_impossible_time |= reported > passed + CLOCK_TOLERANCE
    assignment.visible_milliseconds = min(reported, passed) // timedelta(milliseconds=1)


def lock_open_pair(assignment: Assignment) -> Assignment | None:
    """Lock an assignment until the transaction ends, and read it again; None if it is answered."""
    rows = Assignment.objects.select_for_update(no_key=True)
    return rows.filter(pk=assignment.pk, status=Assignment.Status.OPEN).first()


def lock_assignment(assignment: Assignment) -> Assignment:
    """Lock annotator, participation and assignment until the transaction ends, and read the assignment again.

    The lock on the participation holds back changes of the campaign's rules and state.
    """
    lock_annotator(assignment.annotator)
    taking_part = Participation.objects.filter(campaign=assignment.campaign_id, annotator=assignment.annotator_id)
    taking_part.select_for_update(no_key=True).only("pk").first()
    Assignment.objects.select_for_update(no_key=True).only("pk").get(pk=assignment.pk)
    return Assignment.objects.with_texts().select_related("annotator").get(pk=assignment.pk)


def hold_place(assignment: Assignment) -> None:
    """Hold the place of an assignment. Raises Refused if others took it."""
    try:
        hold(assignment)
    except PlaceTaken as taken:
        campaign = assignment.pair.campaign
        raise Refused(PAIR_FULL.format(noun=campaign.shown_noun, answers=campaign.answer_noun)) from taken


def store_answer(assignment: Assignment, status: Assignment.Status, *, reason: str = "") -> None:
    """Store that an assignment is answered or skipped now, under the guidelines that the annotator read last."""
    assignment.status, assignment.skip_reason, assignment.answered_at = status, reason, timezone.now()
    assignment.guidelines_id = read_guidelines_id(assignment)
    assignment.save(
        update_fields=[
            *("status", "skip_reason", "answered_at", "has_place", "visible_milliseconds", "has_impossible_time"),
            *("reading_aids", "guidelines"),
        ]
    )


def note_change(assignment: Assignment) -> None:
    """Store the guidelines under which an answer was changed."""
    assignment.guidelines_id = read_guidelines_id(assignment)
    assignment.save(update_fields=["guidelines"])


def read_guidelines_id(assignment: Assignment) -> int | None:
    """Return the version of the guidelines that the annotator read last; None for somebody who was removed."""
    own = Participation.objects.filter(campaign=assignment.campaign_id, annotator=assignment.annotator_id)
    return own.values_list("guidelines", flat=True).first()


def add_event(
    assignment: Assignment,
    action: AnswerEvent.Action,
    *,
    vote: Vote | None = None,
    rating: int | None = None,
    skip_reason: str = "",
) -> None:
    """Add an action of the annotator to the history. vote, rating: the answer after it."""
    given: dict[str, Any] = {name: getattr(vote, name) for name in KEPT_OF_VOTES} if vote else {}
    AnswerEvent.objects.create(
        assignment=assignment,
        action=action,
        rating=rating,
        skip_reason=skip_reason,
        guidelines_id=assignment.guidelines_id,
        visible_milliseconds=assignment.visible_milliseconds,
        **given,
    )


def count_change(attribute_id: int) -> None:
    """Make figures of the attribute outdated, in the transaction that changes the answer."""
    Attribute.objects.filter(pk=attribute_id).update(vote_changes=F("vote_changes") + 1)


def _require_before_code(assignment: Assignment) -> None:
    """Raise Refused for a vote or rating of somebody who was shown their completion code."""
    shown = Enrolment.objects.shown_their_code().filter(campaign=assignment.campaign_id)
    if assignment.status == Assignment.Status.VOTED and shown.filter(annotator=assignment.annotator_id).exists():
        raise Refused(AFTER_CODE.format(answer=assignment.pair.campaign.answer_noun))


def _withdraw_answer(assignment: Assignment) -> None:
    """Delete the vote or rating of an assignment, if there is one. Its history stays."""
    for answers in (Vote.objects, HumanScore.objects):
        for answer in answers.filter(assignment=assignment):
            answer.delete()
            count_change(answer.attribute_id)
