"""Which pair an annotator sees next, and on which side its texts stand."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from judging.models import Assignment, Campaign, CampaignPair, User
from judging.models.campaigns import counts_towards_votes

HOLD = timedelta(minutes=30)


class PlaceTaken(Exception):
    """The pair has all its votes, or somebody holds the last place."""


def next_pair(campaign: Campaign, *, annotator: User, rng: np.random.Generator | None = None) -> Assignment | None:
    """The pair that this annotator has open, else a place in the one with the fewest votes; None if nothing is left.

    A place is held for HOLD, and renewed whenever the pair is shown again. rng draws the sides, once per pair.
    """
    rng = rng or np.random.default_rng()
    while True:
        try:
            return _found(campaign, annotator, rng)
        except PlaceTaken:
            continue  # somebody was faster; the next look finds the pair full, so this ends


@transaction.atomic
def _found(campaign: Campaign, annotator: User, rng: np.random.Generator) -> Assignment | None:
    lock_annotator(annotator)
    return _open_pair(campaign, annotator) or _reserve(campaign, annotator, rng)


def _open_pair(campaign: Campaign, annotator: User) -> Assignment | None:
    assignment = Assignment.objects.of(annotator, campaign=campaign).answerable().with_texts().first()
    if assignment:
        hold(assignment)
    return assignment


def _reserve(campaign: Campaign, annotator: User, rng: np.random.Generator) -> Assignment | None:
    free = campaign.pairs.free_for(annotator).select_related("one__context__dataset", "other", "campaign__attribute")
    # Past pairs that are being given away this moment; only where there is no other, wait for one of them.
    pair = _locked(free, skip_locked=True).first() or _locked(free, skip_locked=False).first()
    if pair is None:
        return None
    require_place(pair)
    return Assignment.objects.create(
        pair=pair, annotator=annotator, swapped=draw_side(pair, annotator, rng), held_until=timezone.now() + HOLD
    )


def _locked(pairs: QuerySet[CampaignPair], *, skip_locked: bool) -> QuerySet[CampaignPair]:
    return pairs.select_for_update(of=("self",), no_key=True, skip_locked=skip_locked)


def lock_annotator(annotator: User) -> None:
    """Until the transaction ends, one request of an annotator at a time. Always the first lock that is taken."""
    User.objects.select_for_update(no_key=True).only("pk").get(pk=annotator.pk)


def lock_pair(pair: CampaignPair) -> None:
    CampaignPair.objects.select_for_update(no_key=True).only("pk").get(pk=pair.pk)


def require_place(pair: CampaignPair) -> None:
    """Raises PlaceTaken unless the pair, which is locked, can take another vote (others' rows may be newer than it)."""
    if pair.assignments.filter(counts_towards_votes()).count() >= pair.campaign.votes_per_pair:
        raise PlaceTaken


def hold(assignment: Assignment) -> None:
    """Hold the place of an open pair anew. Raises PlaceTaken if the hold ran out and others have the pair now."""
    if assignment.held_until < timezone.now():
        lock_pair(assignment.pair)
        require_place(assignment.pair)
    assignment.held_until = timezone.now() + HOLD
    assignment.save(update_fields=["held_until"])


def draw_side(pair: CampaignPair, annotator: User, rng: np.random.Generator) -> bool:
    """Whether `other` is shown first: the way this annotator had less often, else the pair; where even, a coin flip."""
    own = Assignment.objects.of(annotator, campaign=pair.campaign)
    lean = _lean(own) or _lean(pair.assignments.all()) or rng.choice([-1, 1])
    return bool(lean < 0)


def _lean(assignments: QuerySet[Assignment]) -> int:
    """How many more were shown swapped than not."""
    counts = assignments.aggregate(shown=Count("pk"), swapped=Count("pk", filter=Q(swapped=True)))
    return 2 * int(counts["swapped"]) - int(counts["shown"])
