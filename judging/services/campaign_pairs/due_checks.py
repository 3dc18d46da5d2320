"""When an annotator gets a gold pair or a repeat, and which one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Q

from judging.models import CHECK_PURPOSES, Assignment, Campaign, CampaignPair, Purpose, User
from judging.models.labelling.assignments import AssignmentQuerySet
from judging.models.labelling.own_progress import FEWEST_BETWEEN


@dataclass(frozen=True, slots=True)
class DueCheck:
    """Two texts that check the annotator, once on each attribute. swapped: the sides; None to draw them."""

    pairs: Sequence[CampaignPair]
    purpose: Purpose
    swapped: bool | None = None


def find_check(campaign: Campaign, annotator: User, rng: np.random.Generator, *, is_end: bool) -> DueCheck | None:
    """Return a gold pair or a repeat if one is due. is_end: True if no other pair is left for the annotator.

    Like other pairs, it comes on all attributes one after the other, so that nobody can tell it apart. There are never
    more than the person's count of pairs includes.
    """
    own, attributes = Assignment.objects.of(annotator, campaign=campaign), len(campaign.asked_attributes.all())
    counts = _count_by_purpose(own)
    gold, repeat = counts["gold"] / attributes, counts["repeat"] / attributes
    ordinary = counts["shown"] / attributes - gold - repeat
    if is_end or is_due(campaign.gold_share, ordinary, gold, rng):
        pairs = _draw_gold_pair(campaign, annotator, rng)
        if pairs and (pairs := pairs[: campaign.progress_for(annotator).gold_left]):
            return DueCheck(pairs, Purpose.GOLD)
    if is_end or is_due(campaign.repeat_share, ordinary, repeat, rng):
        votes = _draw_votes_to_repeat(campaign, own, rng)
        if votes and (votes := votes[: campaign.progress_for(annotator).repeats_left]):
            return DueCheck([vote.pair for vote in votes], Purpose.REPEAT, swapped=not votes[0].swapped)
    return None


def is_due(share: float, ordinary: float, checks: float, rng: np.random.Generator) -> bool:
    """Return True if a check is due after this number of ordinary pairs and checks.

    The chance rises with the number of checks that are missing, so that nobody can foresee one.
    """
    return bool(rng.random() < share * ordinary - checks)


def _count_by_purpose(own: AssignmentQuerySet) -> dict[str, int]:
    return own.aggregate(
        shown=Count("pk"),
        gold=Count("pk", filter=Q(purpose=Purpose.GOLD)),
        repeat=Count("pk", filter=Q(purpose=Purpose.REPEAT)),
    )


def _draw_gold_pair(campaign: Campaign, annotator: User, rng: np.random.Generator) -> list[CampaignPair]:
    """Draw a gold pair that this annotator has not seen on the attribute, and return it on all its attributes.

    Returns none if no gold pair is left.
    """
    unseen = campaign.pairs.unseen_gold(annotator).order_by("position")
    number = unseen.count()
    if not number:
        return []
    drawn = unseen[int(rng.integers(number))]
    related = unseen.select_related("one__context__dataset", "other", "attribute")
    return list(related.filter(one=drawn.one_id, other=drawn.other_id))


def _draw_votes_to_repeat(
    campaign: Campaign, own: AssignmentQuerySet, rng: np.random.Generator
) -> Sequence[Assignment]:
    """Draw two texts that the annotator voted on a while ago, and that were not repeated.

    Returns the votes on all attributes of them, or none.
    """
    fewest_answers = FEWEST_BETWEEN * len(campaign.asked_attributes.all())
    recent = own.answered().values_list("pk", flat=True)[:fewest_answers]
    repeated = own.filter(purpose=Purpose.REPEAT).values("pair")
    votes = own.filter(status=Assignment.Status.VOTED).exclude(purpose__in=CHECK_PURPOSES).exclude(pk__in=list(recent))
    eligible = votes.exclude(pair__in=repeated).order_by("pk")
    number = eligible.count()
    if not number:
        return []
    drawn = eligible.select_related("pair")[int(rng.integers(number))].pair
    return list(eligible.with_texts().filter(pair__one=drawn.one_id, pair__other=drawn.other_id))
