"""The next pair of an annotator, and the sides of its texts."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from judging.models import Assignment, Campaign, CampaignPair, User
from judging.models.campaigns import counts_towards_votes

HOLD_TIME = timedelta(minutes=30)


class PlaceTaken(Exception):
    """Raised when the pair has all its votes, or another annotator holds the last place."""


def next_pair(campaign: Campaign, *, annotator: User, rng: np.random.Generator | None = None) -> Assignment | None:
    """Return the annotator's open pair, else reserve a place in the pair with the fewest votes, else None.

    A place is held for 30 minutes. Each time the pair is shown, the time starts again.
    rng draws the sides, once for each pair.
    """
    rng = rng or np.random.default_rng()
    while True:
        try:
            return _open_or_reserve(campaign, annotator, rng)
        except PlaceTaken:
            continue  # another annotator was faster; the next query skips the full pair, so this ends


@transaction.atomic
def _open_or_reserve(campaign: Campaign, annotator: User, rng: np.random.Generator) -> Assignment | None:
    lock_annotator(annotator)
    return _open_pair(campaign, annotator) or _reserve(campaign, annotator, rng)


def _open_pair(campaign: Campaign, annotator: User) -> Assignment | None:
    assignment = Assignment.objects.of(annotator, campaign=campaign).answerable().with_texts().first()
    if assignment:
        hold(assignment)
    return assignment


def _reserve(campaign: Campaign, annotator: User, rng: np.random.Generator) -> Assignment | None:
    free = campaign.pairs.free_for(annotator).select_related("one__context__dataset", "other", "campaign__attribute")
    # Skip pairs locked by other requests. Wait for a locked one only if no other is free.
    pair = _locked(free, skip_locked=True).first() or _locked(free, skip_locked=False).first()
    if pair is None:
        return None
    require_place(pair)
    return Assignment.objects.create(
        pair=pair, annotator=annotator, swapped=draw_side(pair, annotator, rng), held_until=timezone.now() + HOLD_TIME
    )


def _locked(pairs: QuerySet[CampaignPair], *, skip_locked: bool) -> QuerySet[CampaignPair]:
    return pairs.select_for_update(of=("self",), no_key=True, skip_locked=skip_locked)


def lock_annotator(annotator: User) -> None:
    """Serialize the annotator's requests until the transaction ends. Always taken before other locks."""
    User.objects.select_for_update(no_key=True).only("pk").get(pk=annotator.pk)


def lock_pair(pair: CampaignPair) -> None:
    CampaignPair.objects.select_for_update(no_key=True).only("pk").get(pk=pair.pk)


def require_place(pair: CampaignPair) -> None:
    """Raise PlaceTaken if the pair needs no further vote. The pair is locked; its assignments are read again."""
    if pair.assignments.filter(counts_towards_votes()).count() >= pair.campaign.votes_per_pair:
        raise PlaceTaken


def hold(assignment: Assignment) -> None:
    """Hold the place of an open pair for another 30 minutes.

    Raises PlaceTaken if the time had run out and others took the place.
    """
    if assignment.held_until < timezone.now():
        lock_pair(assignment.pair)
        require_place(assignment.pair)
    assignment.held_until = timezone.now() + HOLD_TIME
    assignment.save(update_fields=["held_until"])


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
