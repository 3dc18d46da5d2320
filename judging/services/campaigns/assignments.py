"""The next pair of an annotator, and the sides of its texts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import numpy as np
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from judging.models import Assignment, Campaign, CampaignPair, Participation, Purpose, User
from judging.models.campaigns import CampaignPairQuerySet
from judging.services.campaign_pairs.due_checks import find_check
from judging.services.campaigns.campaign_states import require_taking_votes
from judging.services.campaigns.places import PlaceTaken, release_expired_places, take_place

HOLD_TIME = timedelta(minutes=30)


def next_pair(campaign: Campaign, *, annotator: User, rng: np.random.Generator | None = None) -> Assignment | None:
    """Return the annotator's open pair, else reserve a place in the pair with the fewest votes, else None.

    A place is held for 30 minutes. Each time the pair is shown, the time starts again.
    rng draws the sides, once for each pair. Raises CampaignNotOpen if the campaign takes no votes now.
    """
    require_taking_votes(campaign)
    rng = rng or np.random.default_rng()
    release_expired_places()
    while True:
        try:
            return (
                _open_or_reserve(campaign, annotator, rng, _find_next)
                or _open_or_reserve(campaign, annotator, rng, _find_first)
                or _reserve_check(campaign, annotator, rng, is_end=True)
            )
        except PlaceTaken:
            continue  # another annotator was faster; the next search leaves out the full pair, so this ends


@transaction.atomic
def _open_or_reserve(
    campaign: Campaign, annotator: User, rng: np.random.Generator, find: Callable[[Campaign, User], CampaignPair | None]
) -> Assignment | None:
    lock_annotator(annotator)
    return (
        _open_pair(campaign, annotator)
        or _reserve_check(campaign, annotator, rng)
        or _reserve(find(campaign, annotator), annotator, rng)
    )


@transaction.atomic
def _reserve_check(
    campaign: Campaign, annotator: User, rng: np.random.Generator, *, is_end: bool = False
) -> Assignment | None:
    """Show a gold pair or a repeat if one is due. is_end: True if no other pair is left for the annotator."""
    if not (campaign.repeat_share or campaign.gold_share):
        return None
    lock_annotator(annotator)
    check = find_check(campaign, annotator, rng, is_end=is_end)
    if check is None:
        return None
    swapped = draw_side(check.pair, annotator, rng) if check.swapped is None else check.swapped
    return _create(check.pair, annotator, check.purpose, swapped=swapped)


def _open_pair(campaign: Campaign, annotator: User) -> Assignment | None:
    assignment = Assignment.objects.of(annotator, campaign=campaign).answerable().with_texts().first()
    if assignment:
        hold(assignment)
    return assignment


def _reserve(pair: CampaignPair | None, annotator: User, rng: np.random.Generator) -> Assignment | None:
    """Reserve a place of a pair. Raises PlaceTaken if others took its last place in the meantime."""
    if pair is None:
        return None
    take_place(pair.pk)
    Participation.objects.filter(campaign=pair.campaign, annotator=annotator).update(turn=pair.turn)
    return _create(pair, annotator, Purpose(pair.purpose), swapped=draw_side(pair, annotator, rng))


def _create(pair: CampaignPair, annotator: User, purpose: Purpose, *, swapped: bool) -> Assignment:
    return Assignment.objects.create(
        campaign=pair.campaign,
        pair=pair,
        annotator=annotator,
        purpose=purpose,
        swapped=swapped,
        held_until=timezone.now() + HOLD_TIME,
    )


def _find_next(campaign: Campaign, annotator: User) -> CampaignPair | None:
    """Lock the first free pair from the annotator's last turn on, which leaves out pairs that others have locked.

    Nearly all earlier pairs are full or seen. Most searches therefore end at the first row of the index.
    """
    last = campaign.participations.filter(annotator=annotator).values_list("turn", flat=True).first() or 0
    pairs = _free_pairs(campaign, annotator).filter(turn__gte=last)
    return pairs.select_for_update(of=("self",), no_key=True, skip_locked=True).first()


def _find_first(campaign: Campaign, annotator: User) -> CampaignPair | None:
    """Return the first free pair of all, locked by others or not. It is reached after the last turn."""
    return _free_pairs(campaign, annotator).first()


def _free_pairs(campaign: Campaign, annotator: User) -> CampaignPairQuerySet:
    return campaign.free_pairs(annotator).select_related("one__context__dataset", "other", "campaign__attribute")


def lock_annotator(annotator: User) -> None:
    """Serialize the annotator's requests until the transaction ends. Always taken before other locks."""
    User.objects.select_for_update(no_key=True).only("pk").get(pk=annotator.pk)


def hold(assignment: Assignment) -> None:
    """Hold the place of an open pair for another 30 minutes.

    Raises PlaceTaken if the time had run out and others took the place.
    """
    held_until = timezone.now() + HOLD_TIME
    if not Assignment.objects.filter(pk=assignment.pk, has_place=True).update(held_until=held_until):
        if not assignment.is_check:
            take_place(assignment.pair_id)
        Assignment.objects.filter(pk=assignment.pk).update(has_place=True, held_until=held_until)
    assignment.has_place, assignment.held_until = True, held_until


def draw_side(pair: CampaignPair, annotator: User, rng: np.random.Generator) -> bool:
    """Return True to show `other` first.

    Takes the order that this annotator saw less often, then the order in which the pair was shown less often, then
    a coin flip.
    """
    own = Assignment.objects.of(annotator, campaign=pair.campaign)
    lean = _lean(own) or _lean(pair.assignments.all()) or rng.choice([-1, 1])
    return bool(lean < 0)


def _lean(assignments: QuerySet[Assignment]) -> int:
    """Return the number of swapped assignments minus the number of others."""
    counts = assignments.aggregate(shown=Count("pk"), swapped=Count("pk", filter=Q(swapped=True)))
    return 2 * int(counts["swapped"]) - int(counts["shown"])
