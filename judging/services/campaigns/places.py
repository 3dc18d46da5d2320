"""Places of pairs: each pair has one place for each vote that it needs.

A pair counts its free places in `places`, and `turn` orders the pairs with free places. The next pair is therefore
found in an index, for any number of pairs. A place is taken when a pair is reserved, and stays taken by the vote.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import F, Max

from judging.models import Assignment, CampaignPair, Participation
from judging.models.labelling.campaign_pairs import ROUND

MOST_RELEASED = 20


class PlaceTaken(Exception):
    """Raised when the pair has all its votes, or other annotators hold its last places."""


def take_place(pair_id: int) -> None:
    """Take a place of the pair, which moves it behind all pairs with fewer votes. Raises PlaceTaken if none is free."""
    free = CampaignPair.objects.filter(pk=pair_id, places__gt=0)
    if not free.update(places=F("places") - 1, turn=F("turn") + ROUND):
        raise PlaceTaken


def release_place(assignment: Assignment) -> None:
    """Give the place of an assignment back. The pair is the next one for everybody who has not seen it.

    A gold pair or a repeat took no place.
    """
    if assignment.is_check:
        return
    front = Participation.objects.filter(campaign=assignment.campaign_id).aggregate(turn=Max("turn"))["turn"] or 0
    CampaignPair.objects.filter(pk=assignment.pair_id).update(places=F("places") + 1, turn=front)


def release_expired_places() -> None:
    """Give back the places whose reservations have ended, oldest first and at most 20 in one call."""
    for assignment in Assignment.objects.expired().order_by("held_until")[:MOST_RELEASED]:
        _release_if_expired(assignment)


@transaction.atomic
def _release_if_expired(assignment: Assignment) -> None:
    """Give back the place of one assignment, unless it was answered or renewed in the meantime."""
    if Assignment.objects.expired().filter(pk=assignment.pk).update(has_place=False):
        release_place(assignment)
