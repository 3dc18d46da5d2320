"""Votes of annotators on pairs, their changes, and the aids for reading that annotators used."""

from collections.abc import Collection
from dataclasses import astuple, dataclass

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from evenhand.refusals import Refused
from judging.models import AnswerEvent, Assignment, ReadingAid, Vote
from judging.services.campaigns.answer_rules import VoteDetails, require_allowed
from judging.services.campaigns.campaign_states import require_taking_votes
from judging.services.campaigns.skips_and_undo import (
    OUT_OF_DATE,
    add_event,
    count_change,
    count_visible_time,
    hold_place,
    lock_assignment,
    lock_open_pair,
    note_change,
    store_answer,
)
from judging.services.campaigns.vote_exclusions import exclude_later_votes

ALREADY_ANSWERED = (
    "You already voted on this pair, perhaps in another tab. Your first vote is kept; change it under Your votes."
)
ASKS_RATINGS = "This campaign asks for ratings of single texts, and takes no votes on pairs. Nothing was saved."
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
    current = lock_assignment(assignment)
    _require_as_shown(current, shown)
    if current.status == Assignment.Status.VOTED and _is_same(current.vote, choice, details):
        return current.vote
    require_taking_votes(current.pair.campaign)
    require_allowed(current.pair.campaign, choice, details)
    if current.status != Assignment.Status.OPEN:
        raise Refused(ALREADY_ANSWERED)
    hold_place(current)
    is_timed = milliseconds is not None or current.visible_milliseconds > 0
    count_visible_time(current, milliseconds or 0)
    current.reading_aids = with_aids(current.reading_aids, reading_aids)
    vote = _new_vote(current, choice, details, current.visible_milliseconds / 1000 if is_timed else None)
    store_answer(current, Assignment.Status.VOTED)
    exclude_later_votes(vote.context.dataset, vote.rater)
    add_event(current, AnswerEvent.Action.VOTED, vote=vote)
    return vote


@transaction.atomic
def change_vote(assignment: Assignment, *, choice: str, shown: ShownPair, details: VoteDetails = NO_DETAILS) -> Vote:
    """Change the choice and the details of a vote. The sides stay. Raises Refused as `record_vote` does."""
    current = lock_assignment(assignment)
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
        count_change(vote.attribute_id)
        note_change(current)
        add_event(current, AnswerEvent.Action.CHANGED, vote=vote)
    return vote


@transaction.atomic
def note_reading_aid(assignment: Assignment, aid: ReadingAid) -> None:
    """Record that the annotator used an aid on an open pair. An answered pair stays as it was answered."""
    if current := lock_open_pair(assignment):
        current.reading_aids = with_aids(current.reading_aids, [aid])
        current.save(update_fields=["reading_aids"])


def with_aids(used: str, aids: Collection[str]) -> str:
    """Return the names of aids, separated by spaces, each once and in their fixed order. used: such names."""
    names = {*used.split(), *aids}
    return " ".join(aid for aid in ReadingAid.values if aid in names)


def details_of(assignment: Assignment) -> VoteDetails:
    """Return the details of the vote on a pair; none without a vote."""
    vote = Vote.objects.filter(assignment=assignment).first()
    return VoteDetails(vote.strength, vote.confidence, vote.comment) if vote else NO_DETAILS


def _require_as_shown(assignment: Assignment, shown: ShownPair) -> None:
    if assignment.pair.campaign.is_of_ratings:
        raise Refused(ASKS_RATINGS)
    if shown != ShownPair(assignment.first_name, assignment.second_name):
        raise Refused(OUT_OF_DATE)


def _is_same(vote: Vote, choice: str, details: VoteDetails) -> bool:
    stored = (vote.choice, vote.strength, vote.confidence, vote.comment)
    return stored == (choice, *astuple(details))


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
