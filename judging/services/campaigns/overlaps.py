"""Overlaps of campaigns: pairs that two campaigns on the same attribute share."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from evenhand.report_json import Unwritten
from evenhand.units import counted
from judging.models import Campaign, CampaignPair, Participation


@dataclass(frozen=True, slots=True)
class Overlap:
    """Another campaign on the same attribute. pairs: shared pairs or texts. annotators: people who are in both."""

    campaign: str
    pairs: int
    annotators: int
    noun: Unwritten[str] = "pair"

    def __str__(self) -> str:
        shared = counted(self.pairs, f"shared {self.noun}")
        return f"{self.campaign} ({shared}, {counted(self.annotators, 'shared annotator')})"


def find_overlaps(campaign: Campaign) -> list[Overlap]:
    """Return the other campaigns on the attribute that share pairs with this one."""
    asked = [attribute.pk for attribute in campaign.attributes_in_order()]
    others = Campaign.objects.filter(attributes__in=asked).exclude(pk=campaign.pk).distinct()
    overlaps = [
        Overlap(other.name, _shared_pairs(campaign, other), _shared_people(campaign, other), campaign.shown_noun)
        for other in others
    ]
    return [overlap for overlap in overlaps if overlap.pairs]


def _shared_pairs(campaign: Campaign, other: Campaign) -> int:
    if campaign.kind != other.kind:
        return 0
    texts = {"one": OuterRef("one")} | ({} if campaign.is_of_ratings else {"other": OuterRef("other")})
    same = CampaignPair.objects.filter(campaign=other, attribute=OuterRef("attribute"), **texts)
    return campaign.pairs.filter(Exists(same)).count()


def _shared_people(campaign: Campaign, other: Campaign) -> int:
    same = Participation.objects.filter(campaign=other, annotator=OuterRef("annotator"))
    return campaign.participations.filter(Exists(same)).count()


def describe_overlaps(campaign: Campaign) -> str:
    """Return a warning on overlaps, and what happens to shared pairs; empty without overlaps."""
    overlaps, noun = find_overlaps(campaign), campaign.shown_noun
    effect = (
        "Repeats are allowed: an annotator may get the same pair in both."
        if campaign.allow_repeats
        else f"No annotator gets a shared {noun} twice, so some {noun}s may lack {campaign.answer_noun}s."
    )
    return f"Shares {noun}s with {', '.join(map(str, overlaps))}. {effect}" if overlaps else ""
