"""Ratings of annotators, one text and attribute at a time, and their changes."""

from django.db import transaction

from evenhand.refusals import Refused
from judging.models import AnswerEvent, Assignment, HumanScore
from judging.services.campaigns.campaign_states import require_taking_votes
from judging.services.campaigns.skips_and_undo import (
    OUT_OF_DATE,
    add_event,
    count_change,
    count_visible_time,
    hold_place,
    lock_assignment,
    note_change,
    store_answer,
)
from judging.services.campaigns.vote_exclusions import exclude_later_votes

ALREADY_RATED = (
    "You already rated this text, perhaps in another tab. Your first rating is kept; change it under Your ratings."
)
NOT_RATED = "You have no rating of this text to change: perhaps you withdrew it in another tab. Nothing was saved."
RATED_ELSEWHERE = "The dataset has a rating of this text by you from another source. Nothing was saved; please skip it."
ASKS_VOTES = "This campaign asks for votes on pairs, and takes no ratings. Nothing was saved."


@transaction.atomic
def record_rating(assignment: Assignment, *, rating: int, shown: str, milliseconds: int | None = None) -> HumanScore:
    """Store a rating of an open text. Posting the same rating again returns the stored one.

    shown: the opaque name of the text that was shown.
    milliseconds: visible time that was not reported before, or None. The assignment stores the sum of all reports.
    Raises Refused if another text was shown, if the text has another answer or all its ratings, if the rating is not
    on the campaign's scale, and CampaignNotOpen if the campaign takes no ratings now, as every function here does.
    """
    current = lock_assignment(assignment)
    _require_as_shown(current, shown)
    if current.status == Assignment.Status.VOTED and current.rating.value == rating:
        return current.rating
    require_taking_votes(current.pair.campaign)
    _require_on_scale(current, rating)
    if current.status != Assignment.Status.OPEN:
        raise Refused(ALREADY_RATED)
    hold_place(current)
    count_visible_time(current, milliseconds or 0)
    stored = _new_rating(current, rating)
    store_answer(current, Assignment.Status.VOTED)
    exclude_later_votes(current.pair.campaign.dataset, stored.rater)
    count_change(stored.attribute_id)
    add_event(current, AnswerEvent.Action.RATED, rating=rating)
    return stored


@transaction.atomic
def change_rating(assignment: Assignment, *, rating: int, shown: str) -> HumanScore:
    """Change a rating. Raises Refused as `record_rating` does."""
    current = lock_assignment(assignment)
    _require_as_shown(current, shown)
    _require_on_scale(current, rating)
    if current.status != Assignment.Status.VOTED:
        raise Refused(NOT_RATED)
    stored = current.rating
    if stored.value != rating:
        require_taking_votes(current.pair.campaign)
        stored.value = rating
        stored.save(update_fields=["value"])
        count_change(stored.attribute_id)
        note_change(current)
        add_event(current, AnswerEvent.Action.CHANGED, rating=rating)
    return stored


def _require_as_shown(assignment: Assignment, shown: str) -> None:
    if not assignment.pair.campaign.is_of_ratings:
        raise Refused(ASKS_VOTES)
    if shown != assignment.first_name:
        raise Refused(OUT_OF_DATE)


def _require_on_scale(assignment: Assignment, rating: int) -> None:
    levels = assignment.pair.campaign.asked_about(assignment.pair.attribute_id).levels
    if rating not in levels:
        scale = f"a whole number from {levels[0]} to {levels[-1]}"
        raise Refused(f"rating: {rating} — choose {scale}. Your rating was not saved.")


def _new_rating(assignment: Assignment, rating: int) -> HumanScore:
    """Create the row that reports read, in the same table as ratings imported with a dataset."""
    rated = {
        "candidate": assignment.first,
        "attribute": assignment.pair.attribute,
        "rater": assignment.annotator.rater_name,
    }
    if HumanScore.objects.filter(**rated).exists():
        raise Refused(RATED_ELSEWHERE)
    return HumanScore.objects.create(**rated, value=rating, assignment=assignment)
