"""The pairs of a campaign, each on one of its attributes, in the order in which annotators are asked."""

from collections.abc import Sequence
from dataclasses import dataclass

from judging.models import Attribute, Campaign, CampaignPair, Purpose
from judging.services.campaign_pairs.pair_drawing import DrawnPair


@dataclass(frozen=True, slots=True)
class AskedPair:
    """Two candidates that a campaign asks about on one attribute, by their ids. one stands before other.

    other: None in a campaign of ratings, which asks about single texts.
    is_held_out: True if the pair was drawn at random from all pairs.
    """

    one: int
    other: int | None
    attribute: int
    is_held_out: bool = False


def on_all_attributes(drawn: Sequence[DrawnPair], attributes: Sequence[Attribute]) -> list[AskedPair]:
    """Return each pair on all attributes, one after the other."""
    return [
        AskedPair(pair.one, pair.other, attribute.pk, pair.is_held_out) for pair in drawn for attribute in attributes
    ]


def texts_on_all_attributes(texts: Sequence[int], attributes: Sequence[Attribute]) -> list[AskedPair]:
    """Return each text on all attributes, one after the other."""
    return [AskedPair(text, None, attribute.pk) for text in texts for attribute in attributes]


def in_asked_order(pairs: Sequence[AskedPair], attributes: Sequence[Attribute]) -> list[AskedPair]:
    """Put the attributes of the same two candidates one after the other, in the order of the attributes.

    The first mention of two candidates is their place.
    """
    place_of = {texts: place for place, texts in enumerate(dict.fromkeys((pair.one, pair.other) for pair in pairs))}
    turn_of = {attribute.pk: turn for turn, attribute in enumerate(attributes)}
    return sorted(pairs, key=lambda pair: (place_of[pair.one, pair.other], turn_of[pair.attribute]))


def store_pairs(campaign: Campaign, pairs: Sequence[AskedPair], *, start: int = 0, turn: int | None = None) -> None:
    """Store pairs with free places. start: position of the first. turn: of all; None for their positions."""
    CampaignPair.objects.bulk_create(
        [
            CampaignPair(
                campaign=campaign,
                attribute_id=pair.attribute,
                one_id=pair.one,
                other_id=pair.other,
                position=position,
                places=campaign.votes_per_pair,
                turn=position if turn is None else turn,
                purpose=_purpose_of(pair, campaign),
            )
            for position, pair in enumerate(pairs, start=start)
        ],
        batch_size=1000,
    )


def _purpose_of(pair: AskedPair, campaign: Campaign) -> Purpose:
    if campaign.first_round_id is not None:
        return Purpose.SECOND_ROUND
    return Purpose.HELD_OUT if pair.is_held_out else Purpose.ORDINARY
