"""Answers of annotators: voting, changing a vote, skipping and reopening a pair."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import astuple, dataclass

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from judging.exceptions import Refused
from judging.models import AnswerEvent, Assignment, Attribute, Participation, SkipReason, Vote
from judging.services.campaigns.answer_rules import VoteDetails, require_allowed
from judging.services.campaigns.assignments import hold, lock_annotator
from judging.services.campaigns.campaign_states import require_taking_votes
from judging.services.campaigns.own_progress import recount_pairs
from judging.services.campaigns.places import PlaceTaken, release_place
from judging.services.campaigns.reading_aids import with_aids
from judging.services.campaigns.vote_exclusions import exclude_later_votes

OUT_OF_DATE = "This page is out of date. Nothing was saved; please vote again."
ALREADY_ANSWERED = (
    "You already voted on this pair, perhaps in another tab. Your first vote is kept; change it under Your votes."
)
PAIR_FULL = "This pair received all its votes from others in the meantime. Your answer was not saved."
NO_DETAILS = VoteDetails()
NOT_VOTED = "You have no vote on this pair to change: perhaps you withdrew it in another tab. Nothing was saved."


@dataclass(frozen=True, slots=True)
class ShownPair:
    """The names of the two texts in the order shown, as the form posted them."""

    first: str
    second: str


@transaction.atomic
def record_vote(
    assignment: Assignment,
    *,
    choice: str,
    shown: ShownPair,
    details: VoteDetails = NO_DETAILS,
    milliseconds: int | None = None,
    reading_aids: Collection[str] = (),
) -> Vote:
    """Store a vote on an open pair. Posting the same vote again returns the stored one.

    details: strength, confidence and comment.
    milliseconds: visible time that was not reported before, or None. The vote stores the sum of all reports.
    reading_aids: aids that the annotator used and that were not reported before.
    Raises Refused if the pair was shown differently, has another answer or all its votes, if the campaign does not
    allow the answer, and CampaignNotOpen if the campaign takes no votes now, as every function here does.
    """
    current = _locked(assignment)
    _require_as_shown(current, shown)
    if current.status == Assignment.Status.VOTED and _is_same(current.vote, choice, details):
        return current.vote
    require_taking_votes(current.pair.campaign)
    require_allowed(current.pair.campaign, choice, details)
    if current.status != Assignment.Status.OPEN:
        raise Refused(ALREADY_ANSWERED)
    _take_place(current)
    is_timed = milliseconds is not None or current.visible_milliseconds > 0
    current.visible_milliseconds += milliseconds or 0
    current.reading_aids = with_aids(current.reading_aids, reading_aids)
    vote = _new_vote(current, choice, details, current.visible_milliseconds / 1000 if is_timed else None)
    exclude_later_votes(current.pair.campaign.dataset, vote.rater)
    _answer(current, Assignment.Status.VOTED)
    _add_event(current, AnswerEvent.Action.VOTED, vote=vote)
    return vote


@transaction.atomic
def change_vote(assignment: Assignment, *, choice: str, shown: ShownPair, details: VoteDetails = NO_DETAILS) -> Vote:
    """Change the choice and the details of a vote. The sides stay. Raises Refused as `record_vote` does."""
    current = _locked(assignment)
    _require_as_shown(current, shown)
    require_allowed(current.pair.campaign, choice, details)
    if current.status != Assignment.Status.VOTED:
        raise Refused(NOT_VOTED)
    vote = current.vote
    if not _is_same(vote, choice, details):
        require_taking_votes(current.pair.campaign)
        vote.choice, vote.changed_at = choice, timezone.now()
        vote.strength, vote.confidence, vote.comment = astuple(details)
        vote.save(update_fields=["choice", "changed_at", "strength", "confidence", "comment"])
        _count_change(vote)
        current.guidelines_id = _guidelines_read_by(current)
        current.save(update_fields=["guidelines"])
        _add_event(current, AnswerEvent.Action.CHANGED, vote=vote)
    return vote


@transaction.atomic
def skip_pair(assignment: Assignment, *, reason: str, milliseconds: int | None = None) -> None:
    """Skip a pair and withdraw a vote on it. The same skip again changes nothing.

    milliseconds: visible time that was not reported before, or None. Raises Refused if the reason is unknown.
    """
    if reason not in SkipReason.values:
        raise Refused("Please choose why you skip the pair.")
    current = _locked(assignment)
    if current.status == Assignment.Status.SKIPPED and current.skip_reason == reason:
        return
    require_taking_votes(current.pair.campaign)
    _withdraw_vote(current)
    current.visible_milliseconds += milliseconds or 0
    if current.has_place:
        release_place(current)
    current.has_place = False
    _answer(current, Assignment.Status.SKIPPED, reason=reason)
    _add_event(current, AnswerEvent.Action.SKIPPED, skip_reason=reason)
    recount_pairs(current)


@transaction.atomic
def reopen_pair(assignment: Assignment) -> None:
    """Withdraw a vote or skip, and open the pair again with the same sides.

    An open pair stays open. Raises Refused if a skipped pair has all its votes from others.
    """
    current = _locked(assignment)
    if current.status == Assignment.Status.OPEN:
        return
    require_taking_votes(current.pair.campaign)
    _withdraw_vote(current)
    current.status, current.skip_reason, current.answered_at = Assignment.Status.OPEN, "", None
    current.save(update_fields=["status", "skip_reason", "answered_at"])
    _take_place(current)
    _add_event(current, AnswerEvent.Action.REOPENED)
    recount_pairs(current)


def add_visible_time(assignment: Assignment, *, milliseconds: int) -> None:
    """Add visible time to an open pair, so that it survives a reload. An answered pair keeps its time."""
    still_open = Assignment.objects.filter(pk=assignment.pk, status=Assignment.Status.OPEN)
    still_open.update(visible_milliseconds=F("visible_milliseconds") + milliseconds)


def details_of(assignment: Assignment) -> VoteDetails:
    """Return the details of the vote on a pair; none without a vote."""
    vote = Vote.objects.filter(assignment=assignment).first()
    return VoteDetails(vote.strength, vote.confidence, vote.comment) if vote else NO_DETAILS


def _locked(assignment: Assignment) -> Assignment:
    """Lock annotator, participation and assignment until the transaction ends, and read the assignment again.

    The lock on the participation holds back changes of the campaign's rules and state.
    """
    lock_annotator(assignment.annotator)
    taking_part = Participation.objects.filter(campaign=assignment.campaign_id, annotator=assignment.annotator_id)
    taking_part.select_for_update(no_key=True).only("pk").first()
    Assignment.objects.select_for_update(no_key=True).only("pk").get(pk=assignment.pk)
    return Assignment.objects.with_texts().select_related("annotator").get(pk=assignment.pk)


def _require_as_shown(assignment: Assignment, shown: ShownPair) -> None:
    if shown != ShownPair(assignment.first_name, assignment.second_name):
        raise Refused(OUT_OF_DATE)


def _is_same(vote: Vote, choice: str, details: VoteDetails) -> bool:
    stored = (vote.choice, vote.strength, vote.confidence, vote.comment)
    return stored == (choice, *astuple(details))


def _take_place(assignment: Assignment) -> None:
    try:
        hold(assignment)
    except PlaceTaken as taken:
        raise Refused(PAIR_FULL) from taken


def _new_vote(assignment: Assignment, choice: str, details: VoteDetails, seconds: float | None) -> Vote:
    """Create the row that reports read, in the same table as votes imported with a dataset."""
    ordered_pair = {
        "attribute": assignment.pair.attribute,
        "first": assignment.first,
        "second": assignment.second,
        "rater": assignment.annotator.rater_name,
    }
    latest = Vote.objects.filter(**ordered_pair).aggregate(latest=Max("occurrence"))["latest"]
    return Vote.objects.create(
        **ordered_pair,
        context=assignment.pair.one.context,
        choice=choice,
        strength=details.strength,
        confidence=details.confidence,
        comment=details.comment,
        occurrence=0 if latest is None else latest + 1,
        user=assignment.annotator,
        assignment=assignment,
        seconds=seconds,
        purpose=assignment.purpose,
        reading_aids=assignment.reading_aids,
        voted_at=timezone.now(),
    )


def _withdraw_vote(assignment: Assignment) -> None:
    """Delete the vote on a pair, if there is one. Its history stays."""
    for vote in Vote.objects.filter(assignment=assignment):
        vote.delete()
        _count_change(vote)


def _count_change(vote: Vote) -> None:
    """Make figures of the vote's attribute outdated, in the transaction that changes the vote."""
    Attribute.objects.filter(pk=vote.attribute_id).update(vote_changes=F("vote_changes") + 1)


def _answer(assignment: Assignment, status: Assignment.Status, *, reason: str = "") -> None:
    assignment.status, assignment.skip_reason, assignment.answered_at = status, reason, timezone.now()
    assignment.guidelines_id = _guidelines_read_by(assignment)
    assignment.save(
        update_fields=[
            *("status", "skip_reason", "answered_at", "has_place", "visible_milliseconds", "reading_aids", "guidelines")
        ]
    )


def _guidelines_read_by(assignment: Assignment) -> int | None:
    """Return the version of the guidelines that the annotator read last; None for somebody who was removed."""
    own = Participation.objects.filter(campaign=assignment.campaign_id, annotator=assignment.annotator_id)
    return own.values_list("guidelines", flat=True).first()


def _add_event(
    assignment: Assignment, action: AnswerEvent.Action, *, vote: Vote | None = None, skip_reason: str = ""
) -> None:
    given = {name: getattr(vote, name) for name in ("choice", "strength", "confidence", "comment")} if vote else {}
    AnswerEvent.objects.create(
        assignment=assignment,
        action=action,
        skip_reason=skip_reason,
        guidelines_id=assignment.guidelines_id,
        visible_milliseconds=assignment.visible_milliseconds,
        **given,
    )
