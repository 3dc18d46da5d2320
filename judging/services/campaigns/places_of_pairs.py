"""Places of pairs: each pair has one place for each vote that it needs.

A pair counts its free places in `places`, and `turn` orders the pairs with free places. The next pair is therefore
found in an index, for any number of pairs. A place is taken when a pair is reserved, and stays taken by the vote.
A vote that is excluded from figures gives its place back, and takes it again when it is restored.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Greatest

from judging.models import CHECK_PURPOSES, Assignment, Campaign, CampaignPair, Participation, User
from judging.models.labelling.campaign_pairs import ROUND
from judging.models.row_counts import count_rows

MOST_RELEASED = 20


class PlaceTaken(Exception):
    """Raised when the pair has all its votes, or other annotators hold its last places."""


def take_place(pair_id: int) -> None:
    """Take a place of the pair, which moves it behind all pairs with fewer votes. Raises PlaceTaken if none is free."""
    free = CampaignPair.objects.filter(pk=pair_id, places__gt=0)
    if not free.update(places=F("places") - 1, turn=F("turn") + ROUND):
        raise PlaceTaken


def release_place(assignment: Assignment) -> None:
    """Give the place back of an assignment that is stored without it. The pair is the next one for all others.

    A gold pair or a repeat took no place.
    """
    if not assignment.is_check:
        _recount(lock_pairs([assignment.pk]))


@contextmanager
def settled_places(assignments: Collection[int]) -> Iterator[None]:
    """Take or give back the places of voted assignments, after the block excluded or restored their answers.

    It locks the pairs before the block, as people who vote do before they store an answer.
    """
    pairs = lock_pairs(assignments)
    yield
    voted = Assignment.objects.filter(pk__in=assignments, status=Assignment.Status.VOTED)
    voted = voted.exclude(purpose__in=CHECK_PURPOSES)
    for is_excluded in (True, False):
        answered = voted.filter(Q(vote__excluded=is_excluded) | Q(rating__excluded=is_excluded))
        answered.update(has_place=not is_excluded)
    _recount(pairs)


def lock_pairs(assignments: Collection[int]) -> list[int]:
    """Lock the pairs of assignments until the transaction ends, in the order in which annotators reserve them."""
    shown = Assignment.objects.filter(pk__in=assignments).exclude(purpose__in=CHECK_PURPOSES)
    pairs = CampaignPair.objects.asked().filter(pk__in=shown.values("pair")).order_by("campaign_id", "position")
    return list(pairs.select_for_update(no_key=True).values_list("pk", flat=True))


def _recount(pairs: Collection[int]) -> None:
    """Count the free places of locked pairs, and make them the next ones for everybody who has not seen them.

    A pair with more votes than it needs has none.
    """
    turns = Participation.objects.filter(campaign=OuterRef("campaign")).order_by("-turn").values("turn")[:1]
    CampaignPair.objects.filter(pk__in=pairs).update(places=_free_places(), turn=Coalesce(Subquery(turns), 0))


def _free_places() -> Greatest:
    taken = Assignment.objects.filter(pair=OuterRef("pk"), has_place=True).exclude(purpose__in=CHECK_PURPOSES)
    wanted = Campaign.objects.filter(pk=OuterRef("campaign")).values("votes_per_pair")
    return Greatest(Subquery(wanted) - count_rows(taken, by="pair"), 0)


def recount_places(campaign: Campaign) -> None:
    """Count the free places of all pairs, after the number of votes per pair changed. Turns stay."""
    pairs = campaign.pairs.asked()
    list(pairs.order_by("position").select_for_update(no_key=True).values_list("pk"))
    pairs.update(places=_free_places())


def release_expired_places() -> None:
    """Give back the places whose reservations have ended, oldest first and at most 20 in one call."""
    for assignment in Assignment.objects.expired().order_by("held_until")[:MOST_RELEASED]:
        _release_if_expired(assignment)


def release_idle_places(campaign: Campaign, annotator: User, *, held_until: datetime) -> bool:
    """Give back places of others, reserved until this time at most, on pairs that are new to this annotator.

    Returns True if there were any.
    """
    seen = Assignment.objects.of(annotator, campaign=campaign).values("pair")
    rows = Assignment.objects.expired(held_until).filter(campaign=campaign).exclude(pair__in=seen)
    idle = list(rows.order_by("held_until")[:MOST_RELEASED])
    for assignment in idle:
        _release_if_expired(assignment, held_until)
    return bool(idle)


@transaction.atomic
def _release_if_expired(assignment: Assignment, held_until: datetime | None = None) -> None:
    """Give back the place of one assignment, unless it was answered or renewed in the meantime."""
    if Assignment.objects.expired(held_until).filter(pk=assignment.pk).update(has_place=False):
        release_place(assignment)
