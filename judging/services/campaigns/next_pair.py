"""The next pair of an annotator, and the sides of its texts."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta

import numpy as np
from django.db import transaction
from django.db.models import Count, Q, QuerySet, prefetch_related_objects
from django.utils import timezone

from judging.models import CHECK_PURPOSES, Assignment, Campaign, CampaignPair, Participation, Purpose, User
from judging.models.labelling.campaign_pairs import CampaignPairQuerySet
from judging.services.campaign_pairs.adaptive_refill import refill_if_needed
from judging.services.campaign_pairs.due_checks import find_check
from judging.services.campaigns.campaign_states import require_taking_votes
from judging.services.campaigns.places_of_pairs import (
    PlaceTaken,
    release_expired_places,
    release_idle_places,
    take_place,
)

HOLD_TIME, LAST_HOLD_TIME = timedelta(minutes=30), timedelta(minutes=10)
"""Time for which a pair is reserved since it was last shown, and where somebody else has no other pair left."""


def next_pair(campaign: Campaign, *, annotator: User, rng: np.random.Generator | None = None) -> Assignment | None:
    """Return the annotator's open pair, else reserve a place in the pair with the fewest votes, else None.

    All attributes of two texts are reserved together, and shown one after the other.
    A place is held for 30 minutes, or 10 where this annotator has no other pair left. Each time the pair is shown, the
    time starts again.
    rng draws the sides, once for each pair. Raises CampaignNotOpen if the campaign takes no votes now.
    """
    require_taking_votes(campaign)
    prefetch_related_objects([campaign], "asked_attributes")
    rng = rng or np.random.default_rng()
    release_expired_places()
    refill_if_needed(campaign, annotator)
    while True:
        try:
            return (
                _open_or_reserve(campaign, annotator, rng, _find_next)
                or _open_or_reserve(campaign, annotator, rng, _find_first)
                or _reserve_idle(campaign, annotator, rng)
                or (_reserve_last_check(campaign, annotator, rng) if campaign.has_checks else None)
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
        or _reserve_check(campaign, annotator, rng, is_end=False)
        or _reserve(campaign, find(campaign, annotator), annotator, rng)
    )


def _reserve_idle(campaign: Campaign, annotator: User, rng: np.random.Generator) -> Assignment | None:
    """Reserve a pair that its holder has not looked at for some minutes, once all other pairs are taken."""
    last_shown = timezone.now() - LAST_HOLD_TIME
    if not release_idle_places(campaign, annotator, held_until=last_shown + HOLD_TIME):
        return None
    return _open_or_reserve(campaign, annotator, rng, _find_first)


@transaction.atomic
def _reserve_last_check(campaign: Campaign, annotator: User, rng: np.random.Generator) -> Assignment | None:
    lock_annotator(annotator)
    return _reserve_check(campaign, annotator, rng, is_end=True)


def _reserve_check(campaign: Campaign, annotator: User, rng: np.random.Generator, *, is_end: bool) -> Assignment | None:
    """Show a gold pair or a repeat if one is due. is_end: True if no other pair is left for the annotator."""
    check = find_check(campaign, annotator, rng, is_end=is_end) if campaign.has_checks else None
    if check is None:
        return None
    swapped = draw_side(campaign, check.pairs[0], annotator, rng) if check.swapped is None else check.swapped
    return _create(campaign, check.pairs, annotator, check.purpose, swapped=swapped)


def _open_pair(campaign: Campaign, annotator: User) -> Assignment | None:
    assignment = Assignment.objects.of(annotator, campaign=campaign).answerable().with_texts().first()
    if assignment:
        hold(assignment)
        assignment.pair.campaign = campaign
        if campaign.has_several_attributes:
            _show_on_attribute(assignment, annotator)
    return assignment


def _reserve(
    campaign: Campaign, pair: CampaignPair | None, annotator: User, rng: np.random.Generator
) -> Assignment | None:
    """Reserve a place of a pair, and of its texts on the following attributes.

    Raises PlaceTaken if others took the last place of the pair in the meantime.
    """
    if pair is None:
        return None
    take_place(pair.pk)
    Participation.objects.filter(campaign=campaign, annotator=annotator).update(turn=pair.turn)
    pairs = [pair, *_reserve_following_attributes(campaign, pair, annotator)]
    swapped = draw_side(campaign, pair, annotator, rng)
    return _create(campaign, pairs, annotator, Purpose(pair.purpose), swapped=swapped)


def _reserve_following_attributes(campaign: Campaign, pair: CampaignPair, annotator: User) -> Iterator[CampaignPair]:
    """Take a place of the same texts on each following attribute that has a free one, in their order.

    Everybody takes them in this order, so that two annotators never wait for each other.
    """
    if not campaign.has_several_attributes:
        return
    following = campaign.free_pairs(annotator).filter(one=pair.one_id, other=pair.other_id)
    for one in following.filter(position__gt=pair.position).order_by("position"):
        with suppress(PlaceTaken):
            take_place(one.pk)
            yield one


def _create(
    campaign: Campaign, pairs: Sequence[CampaignPair], annotator: User, purpose: Purpose, *, swapped: bool
) -> Assignment:
    """Store an assignment for each pair, and return the first one, which is shown now."""
    now = timezone.now()
    for pair in pairs:
        pair.campaign = campaign  # with its attributes, which are read already
    assignments = [
        Assignment.objects.create(
            campaign=campaign,
            pair=pair,
            annotator=annotator,
            purpose=purpose,
            swapped=swapped,
            held_until=now + HOLD_TIME,
            shown_at=None if number else now,
        )
        for number, pair in enumerate(pairs)
    ]
    return assignments[0]


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
    return campaign.next_pairs(annotator).select_related("one__context__dataset", "other", "attribute")


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


def _show_on_attribute(assignment: Assignment, annotator: User) -> None:
    """Store when the pair is first shown. Hold the places of the attributes that follow for another 30 minutes."""
    if assignment.shown_at is None:
        assignment.shown_at = timezone.now()
        assignment.save(update_fields=["shown_at"])
    own = Assignment.objects.of(annotator, campaign=assignment.pair.campaign)
    waiting = own.filter(status=Assignment.Status.OPEN)
    waiting.filter(has_place=True).update(held_until=assignment.held_until)
    for lost in waiting.filter(has_place=False):
        with suppress(PlaceTaken):
            hold(lost)


def pairs_held_by_others(campaign: Campaign, annotator: User) -> int:
    """Return the number of pairs that are open for others, and that this annotator gets if one of them skips it."""
    held = Assignment.objects.filter(campaign=campaign, status=Assignment.Status.OPEN, has_place=True)
    seen = Assignment.objects.of(annotator, campaign=campaign)
    held = held.exclude(purpose__in=CHECK_PURPOSES).exclude(pair__in=seen.values("pair"))
    return held.values("pair").distinct().count()


def draw_side(campaign: Campaign, pair: CampaignPair, annotator: User, rng: np.random.Generator) -> bool:
    """Return True to show `other` first.

    Takes the order in which this annotator saw the texts on another attribute. Else the order that this annotator saw
    less often, then the order in which the pair was shown less often, then a coin flip. A single text has no sides.
    """
    if pair.other_id is None:
        return False
    own = Assignment.objects.of(annotator, campaign=campaign)
    if campaign.has_several_attributes:
        same_texts = own.filter(pair__one=pair.one_id, pair__other=pair.other_id).exclude(purpose=Purpose.REPEAT)
        if earlier := same_texts.first():
            return earlier.swapped
    lean = _lean(own) or _lean(pair.assignments.all()) or rng.choice([-1, 1])
    return bool(lean < 0)


def _lean(assignments: QuerySet[Assignment]) -> int:
    """Return the number of swapped assignments minus the number of others."""
    counts = assignments.aggregate(shown=Count("pk"), swapped=Count("pk", filter=Q(swapped=True)))
    return 2 * int(counts["swapped"]) - int(counts["shown"])
