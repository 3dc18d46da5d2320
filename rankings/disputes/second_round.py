"""The second round of a campaign: a campaign that asks other people about its disputed pairs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet

from evenhand.options import require_values
from evenhand.refusals import Refused
from evenhand.units import counted
from judging.models import Assignment, Campaign, CampaignPair, User
from judging.models.labelling.answer_rules import ANSWER_RULES
from judging.services.campaign_pairs.asked_pairs import AskedPair
from judging.services.campaigns.campaign_setup import create_campaign
from judging.services.invitations.campaign_people import annotators_to_offer
from judging.services.invitations.consent import current_consent_text, set_consent_text

COPIED = ("guidelines", "text_format", *ANSWER_RULES)
"""Columns that a second round has from the first."""


@dataclass(frozen=True, slots=True)
class SecondRound:
    """The settings of a second round. name: default: that of the first round and "second round".

    may_repeat: people may get pairs again that they voted on.
    """

    annotators: Collection[User]
    votes_per_pair: int
    name: str = ""
    may_repeat: bool = False


def usual_votes(campaign: Campaign) -> int:
    """Return the number of further votes that makes the sum of both rounds odd, so that a majority is likely."""
    return 1 if campaign.votes_per_pair % 2 == 0 else 2


def usual_name(campaign: Campaign) -> str:
    """Return the name of the first round with "second round", cut to fit."""
    return f"{campaign.name[:180]}, second round"


def people_to_offer(user: User, campaign: Campaign) -> QuerySet[User]:
    """Return the people whom a researcher may add: annotators with an account, and those of the first round."""
    offered, of_first_round = annotators_to_offer(user).values("pk"), campaign.annotators.values("pk")
    return User.objects.filter(Q(pk__in=offered) | Q(pk__in=of_first_round)).order_by("username")


def people_named(names: Sequence[str], offered: QuerySet[User]) -> list[User]:
    """Return the offered people of these usernames. Raises Refused with every other name."""
    known = {person.get_username(): person for person in offered.filter(username__in=names)}
    if unknown := [name for name in names if name not in known]:
        raise Refused(*(f'annotators: no annotator whom you can choose is called "{name}"' for name in unknown))
    return list(known.values())


@transaction.atomic
def start_second_round(
    first: Campaign, pairs: Sequence[int], plan: SecondRound, *, created_by: User | None = None
) -> Campaign:
    """Create a campaign that asks about these pairs of the first round, in their order.

    It has the questions, guidelines, allowed answers and consent text of the first round.
    pairs: ids of pairs of the first round. Raises Refused with every problem.
    """
    if not pairs:
        raise Refused("pairs: people disagree on none of the chosen pairs, so there is nothing to ask again")
    require_values(create_campaign, votes_per_pair=plan.votes_per_pair, name=plan.name)
    rows = CampaignPair.objects.in_bulk(pairs)
    given = [AskedPair(*rows[key].keys) for key in pairs]
    asked = {pair.attribute for pair in given}
    again = [one for one in first.asked_attributes.all() if one.attribute_id in asked]
    if not plan.may_repeat:
        _require_new_pairs(first, pairs, plan.annotators)
    campaign = create_campaign(
        first.dataset,
        name=plan.name or usual_name(first),
        attributes=[one.attribute for one in again],
        questions={one.attribute.name: one.question for one in again},
        first_round=first,
        given_pairs=given,
        annotators=plan.annotators,
        votes_per_pair=plan.votes_per_pair,
        allow_repeats=plan.may_repeat,
        created_by=created_by,
        **{column: getattr(first, column) for column in COPIED},
    )
    if consent := current_consent_text(first):
        set_consent_text(campaign, text=consent.text, created_by=created_by)
    return campaign


def _require_new_pairs(first: Campaign, pairs: Sequence[int], people: Collection[User]) -> None:
    """Raise Refused for each person who has seen all the pairs."""
    seen = Assignment.objects.filter(campaign=first, pair__in=pairs, annotator__in=people)
    numbers: dict[int, set[int]] = {}
    for person, pair in seen.values_list("annotator", "pair"):
        numbers.setdefault(person, set()).add(pair)
    if problems := [
        f"annotators: {person.get_username()} saw all {counted(len(pairs), 'pair')} in the first round — choose "
        "somebody else, or allow pairs seen before"
        for person in people
        if len(numbers.get(person.pk, ())) == len(set(pairs))
    ]:
        raise Refused(*problems)
