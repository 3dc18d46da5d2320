"""The second round of a campaign: a campaign that asks other people about its disputed pairs."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

from django.db import transaction
from django.db.models import Q, QuerySet

from evenhand.formats.people_files import MAX_PEOPLE
from evenhand.options import Option, options_of, read_options, require_values
from evenhand.refusals import Refused
from evenhand.units import counted
from judging.models import Assignment, Campaign, CampaignPair, User
from judging.models.labelling.answer_rules import ANSWER_RULES
from judging.services.campaign_pairs.asked_pairs import AskedPair
from judging.services.campaigns.campaign_setup import create_campaign
from judging.services.invitations.campaign_people import annotators_to_offer
from judging.services.invitations.consent import current_consent_text, set_consent_text
from judging.web.options import Offered, find_rows

COPIED = ("guidelines", "text_format", *ANSWER_RULES)
"""Columns that a second round has from the first."""


def usual_votes(campaign: Campaign) -> int:
    """Return the number of further votes that makes the sum of both rounds odd, so that a majority is likely."""
    return 1 if campaign.votes_per_pair % 2 == 0 else 2


def usual_name(campaign: Campaign) -> str:
    """Return the name of the first round with "second round", cut to fit."""
    return f"{campaign.name[:180]}, second round"


def people_to_offer(user: User | None, campaign: Campaign) -> QuerySet[User]:
    """Return the people whom one may add: annotators with an account, and those of the first round. None: the shell."""
    offered, of_first_round = annotators_to_offer(user).values("pk"), campaign.annotators.values("pk")
    return User.objects.filter(Q(pk__in=offered) | Q(pk__in=of_first_round)).order_by("username")


@transaction.atomic
def start_second_round(
    first: Campaign,
    pairs: Sequence[int],
    created_by: User | None = None,
    *,
    annotators: Annotated[
        Collection[User],
        Option(
            "People who may vote.", "People", row="annotator", key="username", most=MAX_PEOPLE, argument="annotator"
        ),
    ] = (),
    votes_per_pair: Annotated[
        int | None,
        Option(
            "Each of another annotator.",
            "Votes for each pair",
            low=1,
            high=1_000,
            if_none="makes the votes of both rounds odd",
            argument="votes",
        ),
    ] = None,
    name: Annotated[
        str, Option("Annotators see it.", longest=200, if_none='"NAME, second round"', argument="call")
    ] = "",
    may_repeat: Annotated[
        bool, Option("People may get pairs again that they saw before.", "Pairs seen before")
    ] = False,
) -> Campaign:
    """Create a campaign that asks about these pairs of the first round, in their order.

    It has the questions, guidelines, allowed answers and consent text of the first round.
    pairs: ids of pairs of the first round. Raises Refused with every problem.
    """
    if not pairs:
        raise Refused("pairs: people disagree on none of the chosen pairs, so there is nothing to ask again")
    votes = usual_votes(first) if votes_per_pair is None else votes_per_pair
    require_values(create_campaign, votes_per_pair=votes, name=name)
    rows = CampaignPair.objects.in_bulk(pairs)
    given = [AskedPair(*rows[key].keys) for key in pairs]
    asked = {pair.attribute for pair in given}
    again = [one for one in first.asked_attributes.all() if one.attribute_id in asked]
    if not may_repeat:
        _require_new_pairs(first, pairs, annotators)
    campaign = create_campaign(
        first.dataset,
        name=name or usual_name(first),
        attributes=[one.attribute for one in again],
        questions={one.attribute.name: one.question for one in again},
        first_round=first,
        given_pairs=given,
        annotators=annotators,
        votes_per_pair=votes,
        allow_repeats=may_repeat,
        created_by=created_by,
        **{column: getattr(first, column) for column in COPIED},
    )
    if consent := current_consent_text(first):
        set_consent_text(campaign, text=consent.text, created_by=created_by)
    return campaign


ROUND_OPTIONS = options_of(start_second_round)


def round_settings(first: Campaign, values: Mapping[str, Any], *, user: User | None) -> dict[str, Any]:
    """Return the options as `start_second_round` takes them. user: None for the shell. Raises Refused."""
    read = read_options(ROUND_OPTIONS, values)
    people = Offered(people_to_offer(user, first), " whom you can choose")
    return read | find_rows(ROUND_OPTIONS, read, {"annotator": people})


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
