"""Overlaps of campaigns: pairs that two campaigns on the same attribute share."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from judging.models import Campaign, CampaignPair, Participation
from judging.units import counted


@dataclass(frozen=True, slots=True)
class Overlap:
    """Another campaign on the same attribute. pairs: shared pairs. annotators: people who take part in both."""

    campaign: str
    pairs: int
    annotators: int

    def __str__(self) -> str:
        return f"{self.campaign} ({counted(self.pairs, 'shared pair')}, {counted(self.annotators, 'shared annotator')})"


def find_overlaps(campaign: Campaign) -> list[Overlap]:
    """Return the other campaigns on the attribute that share pairs with this one."""
    asked = [attribute.pk for attribute in campaign.attributes_in_order()]
    others = Campaign.objects.filter(attributes__in=asked).exclude(pk=campaign.pk).distinct()
    overlaps = [
        Overlap(other.name, _shared_pairs(campaign, other), _shared_people(campaign, other)) for other in others
    ]
    return [overlap for overlap in overlaps if overlap.pairs]


def _shared_pairs(campaign: Campaign, other: Campaign) -> int:
    texts = {"one": OuterRef("one"), "other": OuterRef("other")}
    same = CampaignPair.objects.filter(campaign=other, attribute=OuterRef("attribute"), **texts)
    return campaign.pairs.filter(Exists(same)).count()


def _shared_people(campaign: Campaign, other: Campaign) -> int:
    same = Participation.objects.filter(campaign=other, annotator=OuterRef("annotator"))
    return campaign.participations.filter(Exists(same)).count()


def describe_overlaps(campaign: Campaign) -> str:
    """Return a warning on overlaps, and what happens to shared pairs; empty without overlaps."""
    overlaps = find_overlaps(campaign)
    effect = (
        "Repeats are allowed: an annotator may get the same pair in both."
        if campaign.allow_repeats
        else "No annotator gets a shared pair twice, so some pairs may lack votes."
    )
    return f"Shares pairs with {', '.join(map(str, overlaps))}. {effect}" if overlaps else ""
