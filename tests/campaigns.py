"""Campaigns for tests, and the actions of their annotators."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

import numpy as np
from django.db.models import Count, F, Q
from django.utils import timezone

from evenhand.refusals import Refused
from judging.models import (
    ANNOTATOR,
    CHECK_PURPOSES,
    Assignment,
    Campaign,
    CampaignPair,
    Dataset,
    HumanScore,
    User,
    Vote,
)
from judging.services.campaigns.campaign_setup import create_campaign
from judging.services.campaigns.guidelines import note_guidelines_read
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.places_of_pairs import take_place
from judging.services.campaigns.ratings import record_rating
from judging.services.campaigns.skips_and_undo import reopen_pair, skip_pair
from judging.services.campaigns.votes import ShownPair, record_vote
from tests.factories import make_dataset, make_user


def make_annotator(name: str) -> User:
    return make_user(name, ANNOTATOR)


def make_campaign(dataset: Dataset | None = None, *, name: str = "Which is better?", **fields: object) -> Campaign:
    """A campaign on all pairs and the first attribute. Default dataset: two contexts of three candidates."""
    dataset = dataset or Dataset.objects.first() or make_dataset()
    defaults = {"seed": 0, "attributes": [dataset.attributes.first()]}
    checks = {column: fields.pop(column) for column in ("repeat_share", "gold_share") if column in fields}
    campaign = create_campaign(dataset, name=name, **defaults | fields)
    if checks:
        Campaign.objects.filter(pk=campaign.pk).update(**checks)
        campaign.refresh_from_db()
    return campaign


def small_campaign(*, pairs: int = 1, **fields: object) -> Campaign:
    """A campaign on contexts of two candidates each, so that every context is one pair."""
    return make_campaign(make_dataset(candidates=(2,) * pairs), **fields)


def make_ready_campaign(*annotators: User, **fields: object) -> Campaign:
    """A campaign whose annotators have read the guidelines."""
    campaign = make_campaign(annotators=annotators, **fields)
    for annotator in annotators:
        note_guidelines_read(campaign, annotator=annotator)
    return campaign


def shown_in(assignment: Assignment) -> ShownPair:
    return ShownPair(assignment.first_name, assignment.second_name)


def let_time_pass(milliseconds: int | None) -> None:
    """Store that all pairs were shown so much earlier: nobody spends more time on a pair than passed since then."""
    if milliseconds:
        Assignment.objects.update(shown_at=F("shown_at") - timedelta(milliseconds=milliseconds))


def answer(assignment: Assignment, choice: str = "first", *, milliseconds: int | None = None) -> Vote:
    let_time_pass(milliseconds)
    return record_vote(assignment, choice=choice, shown=shown_in(assignment), milliseconds=milliseconds)


def vote(campaign: Campaign, annotator: User, choice: str = "first", *, milliseconds: int | None = None) -> Vote:
    """Vote on the next pair."""
    return answer(next_pair(campaign, annotator=annotator), choice, milliseconds=milliseconds)


def rate_shown(campaign: Campaign, annotator: User, rating: int, *, milliseconds: int | None = None) -> Assignment:
    """Rate the next text, and return what was shown."""
    assignment = next_pair(campaign, annotator=annotator)
    let_time_pass(milliseconds)
    record_rating(assignment, rating=rating, shown=assignment.first_name, milliseconds=milliseconds)
    return assignment


def rate(campaign: Campaign, annotator: User, rating: int, *, milliseconds: int | None = None) -> HumanScore:
    """Rate the next text."""
    return HumanScore.objects.get(assignment=rate_shown(campaign, annotator, rating, milliseconds=milliseconds))


def prefer(campaign: Campaign, annotator: User, *, earlier: bool) -> Vote:
    """Vote on the next pair, for the candidate that is earlier (or later) in the dataset."""
    assignment = next_pair(campaign, annotator=annotator)
    return answer(assignment, "second" if assignment.swapped == earlier else "first")


def vote_by_context(campaign: Campaign, person: User, votes: Mapping[str, str]) -> None:
    """Vote on the first pair of each context. votes: context -> key of the preferred candidate, or tie."""
    for number, (context, preferred) in enumerate(votes.items()):
        pair = campaign.pairs.filter(one__context__key=context).first()
        take_place(pair.pk)
        assignment = Assignment.objects.create(
            campaign=campaign,
            pair=pair,
            annotator=person,
            purpose=pair.purpose,
            swapped=number % 2 == 1,
            held_until=timezone.now() + timedelta(hours=1),
        )
        answer(assignment, "tie" if preferred == "tie" else "first" if assignment.first.key == preferred else "second")


def expire(assignment: Assignment) -> None:
    """End the time for which a pair is reserved."""
    Assignment.objects.filter(pk=assignment.pk).update(held_until=timezone.now() - timedelta(seconds=1))


def act_at_random(campaign: Campaign, person: User, rng: np.random.Generator) -> None:
    """Vote on the next pair, skip it, lose its reservation, or take an answer back."""
    assignment = next_pair(campaign, annotator=person)
    action = rng.choice(["vote", "vote", "skip", "expire", "reopen"])
    if action == "reopen":
        assignment = person.assignments.answered().first()
    if assignment is None:
        return
    with suppress(Refused):
        match action:
            case "vote":
                answer(assignment)
            case "skip":
                skip_pair(assignment, reason="other")
            case "expire":
                expire(assignment)
            case "reopen":
                reopen_pair(assignment)


def wrong_places(campaign: Campaign) -> list[CampaignPair]:
    """Pairs whose free places are not their planned votes minus votes and reservations, and at least 0."""
    taken = Count("assignments", filter=Q(assignments__has_place=True) & ~Q(assignments__purpose__in=CHECK_PURPOSES))
    pairs = campaign.pairs.asked().annotate(taken=taken)
    return [pair for pair in pairs if pair.places != max(0, campaign.votes_per_pair - pair.taken)]
