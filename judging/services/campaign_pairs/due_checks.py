"""When an annotator gets a gold pair or a repeat, and which one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Exists, OuterRef, Q

from judging.models import CHECK_PURPOSES, Assignment, Campaign, CampaignPair, Purpose, User
from judging.models.campaigns import AssignmentQuerySet, CampaignPairQuerySet

FEWEST_BETWEEN = 5
"""A pair is repeated after at least this many other answers."""


@dataclass(frozen=True, slots=True)
class DueCheck:
    """A pair that checks the annotator. swapped: the sides; None to draw them."""

    pair: CampaignPair
    purpose: Purpose
    swapped: bool | None = None


def find_check(campaign: Campaign, annotator: User, rng: np.random.Generator, *, is_end: bool) -> DueCheck | None:
    """Return a gold pair or a repeat if one is due. is_end: True if no other pair is left for the annotator."""
    own = Assignment.objects.of(annotator, campaign=campaign)
    counts = _count_by_purpose(own)
    ordinary = counts["shown"] - counts["gold"] - counts["repeat"]
    if is_due(campaign.gold_share, ordinary, counts["gold"], rng, is_end=is_end) and (
        gold := _draw_gold_pair(campaign, annotator, rng)
    ):
        return DueCheck(gold, Purpose.GOLD)
    if is_due(campaign.repeat_share, ordinary, counts["repeat"], rng, is_end=is_end) and (
        vote := _draw_vote_to_repeat(own, rng)
    ):
        return DueCheck(vote.pair, Purpose.REPEAT, swapped=not vote.swapped)
    return None


def is_due(share: float, ordinary: int, checks: int, rng: np.random.Generator, *, is_end: bool = False) -> bool:
    """Return True if a check is due after this number of ordinary pairs and checks.

    The chance rises with the number of checks that are missing, so that nobody can foresee one. is_end: no more
    ordinary pairs follow; then the rest is shown.
    """
    missing = share * ordinary - checks
    return missing >= 0.5 if is_end else bool(rng.random() < missing)


def count_checks_left(campaign: Campaign, annotator: User, *, ordinary_left: int) -> int:
    """Return the gold pairs and repeats that an annotator will get with this number of further ordinary pairs."""
    if not (campaign.repeat_share or campaign.gold_share):
        return 0
    counts = _count_by_purpose(Assignment.objects.of(annotator, campaign=campaign))
    ordinary = ordinary_left + counts["shown"] - counts["gold"] - counts["repeat"]
    gold = round(campaign.gold_share * ordinary) - counts["gold"]
    repeats = min(round(campaign.repeat_share * ordinary), max(0, ordinary - FEWEST_BETWEEN)) - counts["repeat"]
    return max(0, min(gold, unseen_gold_pairs(campaign, annotator).count())) + max(0, repeats)


def _count_by_purpose(own: AssignmentQuerySet) -> dict[str, int]:
    return own.aggregate(
        shown=Count("pk"),
        gold=Count("pk", filter=Q(purpose=Purpose.GOLD)),
        repeat=Count("pk", filter=Q(purpose=Purpose.REPEAT)),
    )


def _draw_gold_pair(campaign: Campaign, annotator: User, rng: np.random.Generator) -> CampaignPair | None:
    """Draw a gold pair that this annotator has not seen on the attribute."""
    unseen = unseen_gold_pairs(campaign, annotator).order_by("position")
    number = unseen.count()
    related = unseen.select_related("one__context__dataset", "other", "campaign__attribute")
    return related[int(rng.integers(number))] if number else None


def unseen_gold_pairs(campaign: Campaign, annotator: User) -> CampaignPairQuerySet:
    """Return the gold pairs that this annotator saw neither here nor in another campaign on the attribute."""
    elsewhere = Assignment.objects.filter(annotator=annotator, campaign__attribute=campaign.attribute_id)
    seen = elsewhere.filter(pair__one=OuterRef("one"), pair__other=OuterRef("other"))
    return campaign.pairs.filter(~Exists(seen), purpose=Purpose.GOLD)


def _draw_vote_to_repeat(own: AssignmentQuerySet, rng: np.random.Generator) -> Assignment | None:
    """Draw a pair that the annotator voted on a while ago, and that was not repeated."""
    recent = own.answered().values_list("pk", flat=True)[:FEWEST_BETWEEN]
    repeated = own.filter(purpose=Purpose.REPEAT).values("pair")
    votes = own.filter(status=Assignment.Status.VOTED).exclude(purpose__in=CHECK_PURPOSES).exclude(pk__in=list(recent))
    eligible = votes.exclude(pair__in=repeated).order_by("pk")
    number = eligible.count()
    return eligible.with_texts()[int(rng.integers(number))] if number else None
