"""How far a person is in a campaign: one count of pairs, gold pairs and repeats included.

Pages, the API, the list of annotators and the choice of the next check read it, so that no count gives a check away.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import floor
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import models
from django.db.models import Case, Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Greatest

from judging.models.labelling.assignments import CHECK_PURPOSES, IS_ANSWERABLE, Assignment, Purpose
from judging.models.labelling.campaign_pairs import CampaignPair
from judging.models.row_counts import count_rows

if TYPE_CHECKING:
    from judging.models.labelling.campaigns import Campaign
    from judging.models.users import User

OwnRows = TypeVar("OwnRows", bound=QuerySet[Any])

FEWEST_BETWEEN = 5
"""A pair is repeated after at least this many other answers."""
UNLIMITED_PAIRS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class OwnCounts:
    """Numbers of a person's pairs in a campaign. Two texts are a pair on each attribute.

    voted, skipped, reserved: ordinary pairs by their state. free: pairs that the person can get.
    to_choose: pairs that are chosen during voting. check_votes, check_skips, open_checks: gold pairs and repeats by
    their state. gold, repeats: those shown. unseen_gold: gold pairs that can be shown. part: most votes of the person.
    told, gone: the largest total and the most pairs not needed any more that the person has read.
    """

    voted: int = 0
    skipped: int = 0
    reserved: int = 0
    free: int = 0
    to_choose: int = 0
    check_votes: int = 0
    check_skips: int = 0
    open_checks: int = 0
    gold: int = 0
    repeats: int = 0
    unseen_gold: int = 0
    part: int = UNLIMITED_PAIRS
    told: int = 0
    gone: int = 0


@dataclass(frozen=True, slots=True)
class OwnProgress:
    """A person's progress in a campaign. gold_share, repeat_share: checks for each ordinary pair."""

    counts: OwnCounts
    gold_share: float = 0.0
    repeat_share: float = 0.0
    attributes: int = 1

    @property
    def votes(self) -> int:
        """Votes, on checks too."""
        return self.counts.voted + self.counts.check_votes

    @property
    def skips(self) -> int:
        return self.counts.skipped + self.counts.check_skips

    @property
    def left(self) -> int:
        """Pairs to vote on, with the checks to come: at most those that the person's part lacks."""
        return min(self._open, max(self.counts.part - self.votes, 0))

    @property
    def total(self) -> int:
        """Pairs in all: the person's part, else votes, skips and pairs left. Own answers do not change it.

        It has the pairs that are not needed any more, so it never falls.
        """
        return max(self.counts.told, self._own_total + self.counts.gone)

    @property
    def gone(self) -> int:
        """Pairs of the total that are not needed any more, because others gave their votes. It never falls."""
        return self.total - self._own_total

    @property
    def is_news(self) -> bool:
        """True for numbers above those that the person has read. An excluded person has none."""
        return self.counts.part > 0 and (self.total, self.gone) != (self.counts.told, self.counts.gone)

    @property
    def done(self) -> int:
        """Pairs of the total that are not left."""
        return self.total - self.left

    @property
    def position(self) -> int:
        """The number of the pair on screen, from 1; at most `total` while a pair is left."""
        return self.done + 1

    @property
    def gold_left(self) -> int:
        """Gold pairs that are still to be shown: as many as are expected, and as there are."""
        return max(0, min(self._expected(self.gold_share) - self.counts.gold, self.counts.unseen_gold))

    @property
    def repeats_left(self) -> int:
        """Repeats that are still to be shown. Skipped pairs are not repeated, the last votes come too late.

        Skips count until no ordinary pair is left, so that a skip takes one pair off, not its repeat too.
        """
        unrepeated = self.counts.skipped if self._ordinary_left else 0
        repeatable = self.counts.voted + unrepeated + self._ordinary_left - FEWEST_BETWEEN * self.attributes
        return max(0, min(self._expected(self.repeat_share), repeatable) - self.counts.repeats)

    def _expected(self, share: float) -> int:
        """Return the checks of one kind among all pairs of this person."""
        ordinary = self.counts.voted + self.counts.skipped + self._ordinary_left
        return self.attributes * floor(share * ordinary / self.attributes + 0.5)

    @property
    def _ordinary_left(self) -> int:
        return self.counts.reserved + self.counts.free + self.counts.to_choose

    @property
    def _own_total(self) -> int:
        return max(self.votes, min(self.counts.part, self.votes + self.skips + self._open))

    @property
    def _open(self) -> int:
        """Pairs to vote on, for a person without a limit."""
        return self._ordinary_left + self.counts.open_checks + self.gold_left + self.repeats_left


_ORDINARY, _CHECK = ~Q(purpose__in=CHECK_PURPOSES), Q(purpose__in=CHECK_PURPOSES)
_VOTED, _SKIPPED = Q(status=Assignment.Status.VOTED), Q(status=Assignment.Status.SKIPPED)
_OF_ASSIGNMENTS = {
    "own_voted": _ORDINARY & _VOTED,
    "own_skipped": _ORDINARY & _SKIPPED,
    "own_reserved": _ORDINARY & IS_ANSWERABLE,
    "own_check_votes": _CHECK & _VOTED,
    "own_check_skips": _CHECK & _SKIPPED,
    "own_open_checks": _CHECK & IS_ANSWERABLE,
    "own_gold": Q(purpose=Purpose.GOLD),
    "own_repeats": Q(purpose=Purpose.REPEAT),
}
_TAKES_FREE = _ORDINARY & Q(pair__places__gt=0)
"""A person's assignments on pairs that others can get, but not this person."""


def annotate_counts(rows: OwnRows, annotator: User | OuterRef, *, campaign: str = "") -> OwnRows:
    """Annotate the counts of a person, all but their part, as `own_voted`, `own_skipped` and so on.

    rows: campaigns, or rows whose field of this name is a campaign.
    """
    here = OuterRef(campaign or "pk")
    prefix = campaign and f"{campaign}__"
    own = Assignment.objects.filter(campaign=here, annotator=annotator)
    counts: dict[str, Any] = {
        name: count_rows(own.filter(condition), by="campaign") for name, condition in _OF_ASSIGNMENTS.items()
    }
    # free_for() asks of each pair whether it is free; to subtract takes a hundredth of the time
    is_elsewhere = Exists(Assignment.objects.filter(annotator=annotator).exclude(campaign=here))
    counts["own_free"] = _with_places(here) - count_rows(own.filter(_TAKES_FREE), by="campaign")
    counts["own_free"] -= Case(When(is_elsewhere, then=_seen_elsewhere(here, annotator)), default=0)
    no_gold, is_chosen = {f"{prefix}gold_share": 0}, {f"{prefix}pairs_planned": None}
    counts["own_unseen_gold"] = Case(When(**no_gold, then=0), default=_unseen_gold(here, annotator))
    to_choose = _to_choose(here, planned=F(f"{prefix}pairs_planned"))
    counts["own_to_choose"] = Case(When(**is_chosen, then=0), default=to_choose, output_field=IntegerField())
    return rows.annotate(**counts)


def counts_for(campaigns: QuerySet[Campaign], campaign: Campaign, annotator: User) -> OwnCounts:
    """Return the counts of one person in one campaign, by two short queries.

    campaigns: with `own_part`, `own_told` and `own_gone`.
    """
    here = Q(campaign=campaign)
    filters = {name: here & condition for name, condition in _OF_ASSIGNMENTS.items()}
    filters |= {"taken": here & _TAKES_FREE, "elsewhere": ~here}
    counted = {name: Count("pk", filter=condition) for name, condition in filters.items()}
    own = Assignment.objects.filter(annotator=annotator).aggregate(**counted)
    of_pairs: dict[str, Any] = {"own_free": _with_places(campaign.pk)}
    if own.pop("elsewhere"):
        of_pairs["own_free"] -= _seen_elsewhere(campaign.pk, annotator)
    if campaign.gold_share:
        of_pairs["own_unseen_gold"] = _unseen_gold(campaign.pk, annotator)
    if campaign.pairs_planned is not None:
        of_pairs["own_to_choose"] = _to_choose(campaign.pk, planned=Value(campaign.pairs_planned))
    of_part = ("own_part", "own_told", "own_gone")
    own |= campaigns.filter(pk=campaign.pk).annotate(**of_pairs).values(*of_part, *of_pairs).get()
    own["own_free"] -= own.pop("taken")
    return OwnCounts(**{name.removeprefix("own_"): count for name, count in own.items()})


def _with_places(campaign: OuterRef | int) -> Coalesce:
    return count_rows(CampaignPair.objects.filter(campaign=campaign, places__gt=0), by="campaign")


def _seen_elsewhere(campaign: OuterRef | int, annotator: User | OuterRef) -> Coalesce:
    return count_rows(CampaignPair.objects.filter(campaign=campaign).seen_elsewhere(_within(annotator)), by="campaign")


def _unseen_gold(campaign: OuterRef | int, annotator: User | OuterRef) -> Coalesce:
    return count_rows(CampaignPair.objects.filter(campaign=campaign).unseen_gold(_within(annotator)), by="campaign")


def _to_choose(campaign: OuterRef | int, *, planned: F | Value) -> Greatest:
    asked = count_rows(CampaignPair.objects.filter(campaign=campaign).asked(), by="campaign")
    return Greatest(planned - asked, 0)


def _within(annotator: User | OuterRef) -> User | OuterRef:
    return OuterRef(annotator) if isinstance(annotator, OuterRef) else annotator


def counts_of(row: models.Model) -> OwnCounts:
    """Return the counts that `annotate_counts` put on a row."""
    counts: dict[str, int] = {one.name: getattr(row, f"own_{one.name}") for one in fields(OwnCounts)}
    return OwnCounts(**counts)
