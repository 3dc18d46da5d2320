"""What annotators answer: a vote, a skip, a second thought."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from judging.exceptions import Refused
from judging.models import Assignment, Attribute, Campaign, Choice, SkipReason, Vote
from judging.services.campaigns.assignments import HOLD, PlaceTaken, hold, lock_annotator, lock_pair, require_place

NOT_AS_SHOWN = "This vote did not belong to the pair as it was shown to you. Nothing was stored: please vote again."
ANSWERED_OTHERWISE = "You already answered this pair otherwise. Nothing was changed; you can change it in your votes."
FULL = "While this pair waited, others gave it all the votes that it needs. Your answer was not stored."
NO_TIES = "This campaign takes no ties: please choose the better text, or skip the pair."
NOT_VOTED = "There is no vote of yours on this pair, so there is nothing to change."


@dataclass(frozen=True, slots=True)
class Shown:
    """The names of the texts as a form posted them, in the order in which they were shown."""

    first: str
    second: str


@transaction.atomic
def record_vote(assignment: Assignment, *, choice: str, shown: Shown, milliseconds: int | None = None) -> Vote:
    """Store a vote on an open pair. The same vote again stores nothing new and returns the one that is there.

    milliseconds: time on task; None where it is not known.
    Raises Refused if the pair was shown otherwise, is answered otherwise, has all its votes, or the choice is not one.
    """
    current = _locked(assignment)
    _require_as_shown(current, shown)
    _require_choice(current.pair.campaign, choice)
    if current.status == Assignment.Status.VOTED and current.vote.choice == choice:
        return current.vote
    if current.status != Assignment.Status.OPEN:
        raise Refused(ANSWERED_OTHERWISE)
    _take_place(current)
    vote = _new_vote(current, choice, milliseconds)
    _answer(current, Assignment.Status.VOTED)
    return vote


@transaction.atomic
def change_vote(assignment: Assignment, *, choice: str, shown: Shown) -> Vote:
    """Answer a pair that was voted on otherwise than before; its sides stay. Raises Refused as `record_vote` does."""
    current = _locked(assignment)
    _require_as_shown(current, shown)
    _require_choice(current.pair.campaign, choice)
    if current.status != Assignment.Status.VOTED:
        raise Refused(NOT_VOTED)
    vote = current.vote
    if vote.choice != choice:
        vote.choice, vote.changed_at = choice, timezone.now()
        vote.save(update_fields=["choice", "changed_at"])
        _count_change(vote)
    return vote


@transaction.atomic
def skip(assignment: Assignment, *, reason: str) -> None:
    """Give a pair back unanswered; a vote on it is withdrawn. Raises Refused without a known reason."""
    if reason not in SkipReason.values:
        raise Refused("Please say why you skip the pair: choose one of the reasons.")
    current = _locked(assignment)
    _withdraw_vote(current)
    _answer(current, Assignment.Status.SKIPPED, reason=reason)


@transaction.atomic
def reopen(assignment: Assignment) -> None:
    """Take an answer back, vote or skip: the pair is open again, with its sides as they were.

    An open pair stays open. Raises Refused where a skipped pair got all its votes from others.
    """
    current = _locked(assignment)
    if current.status == Assignment.Status.OPEN:
        return
    if current.status == Assignment.Status.SKIPPED:
        _take_place(current)
    _withdraw_vote(current)
    current.status, current.skip_reason, current.answered_at = Assignment.Status.OPEN, "", None
    current.held_until = timezone.now() + HOLD
    current.save(update_fields=["status", "skip_reason", "answered_at", "held_until"])


def _locked(assignment: Assignment) -> Assignment:
    """The row as it is now. The annotator, the campaign's rules and the pair's places stay so while we decide."""
    lock_annotator(assignment.annotator)
    Campaign.objects.select_for_update(no_key=True).only("pk").get(pk=assignment.pair.campaign_id)
    lock_pair(assignment.pair)
    return Assignment.objects.with_texts().select_related("annotator").get(pk=assignment.pk)


def _require_as_shown(assignment: Assignment, shown: Shown) -> None:
    if shown != Shown(assignment.first_name, assignment.second_name):
        raise Refused(NOT_AS_SHOWN)


def _require_choice(campaign: Campaign, choice: str) -> None:
    if choice not in Choice.values:
        raise Refused(f'The choice was "{choice}", which is none. Nothing was stored: please vote again.')
    if choice == Choice.TIE and not campaign.allow_ties:
        raise Refused(NO_TIES)


def _take_place(assignment: Assignment) -> None:
    try:
        if assignment.status == Assignment.Status.OPEN:
            hold(assignment)
        else:
            require_place(assignment.pair)
    except PlaceTaken as taken:
        raise Refused(FULL) from taken


def _new_vote(assignment: Assignment, choice: str, milliseconds: int | None) -> Vote:
    """The row in the table that reports read, beside the votes that came with the dataset."""
    ordered_pair = {
        "attribute": assignment.pair.campaign.attribute,
        "first": assignment.first,
        "second": assignment.second,
        "rater": assignment.annotator.rater_name,
    }
    latest = Vote.objects.filter(**ordered_pair).aggregate(latest=Max("occurrence"))["latest"]
    return Vote.objects.create(
        **ordered_pair,
        context=assignment.pair.one.context,
        choice=choice,
        occurrence=0 if latest is None else latest + 1,
        user=assignment.annotator,
        assignment=assignment,
        milliseconds=milliseconds,
        voted_at=timezone.now(),
    )


def _withdraw_vote(assignment: Assignment) -> None:
    """Delete the vote on a pair, if there is one."""
    for vote in Vote.objects.filter(assignment=assignment):
        vote.delete()
        _count_change(vote)


def _count_change(vote: Vote) -> None:
    """Make figures of the vote's attribute outdated, in the transaction that changes the vote."""
    Attribute.objects.filter(pk=vote.attribute_id).update(vote_changes=F("vote_changes") + 1)


def _answer(assignment: Assignment, status: Assignment.Status, *, reason: str = "") -> None:
    assignment.status, assignment.skip_reason, assignment.answered_at = status, reason, timezone.now()
    assignment.save(update_fields=["status", "skip_reason", "answered_at"])
