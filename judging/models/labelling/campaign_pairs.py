"""Pairs of a campaign, and the votes that they still need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.lookups import IsNull

from judging.models.datasets import Attribute, Candidate
from judging.models.labelling.assignments import Assignment, AssignmentQuerySet, Purpose

if TYPE_CHECKING:
    from collections.abc import Collection

    from judging.models.users import User

ROUND = 2**32
"""Distance between two turns of a pair. It exceeds every position: all pairs get a vote before one gets its second."""


class PairAnswer(models.TextChoices):
    """The known answer to a pair: one of its candidates, or neither."""

    ONE = "one"
    OTHER = "other"
    TIE = "tie"


class CampaignPairQuerySet(models.QuerySet["CampaignPair"]):
    def asked(self) -> Self:
        """Pairs whose votes the campaign collects: all but gold pairs."""
        return self.exclude(purpose=Purpose.GOLD)

    def free_for(self, annotator: User | OuterRef, *, campaigns: Collection[int] | None = None) -> Self:
        """Pairs that need votes and are new to this annotator, in the order of their turns.

        Pairs that another campaign on the attribute showed are not new, unless the pair's campaign allows repeats. The
        same holds for the single texts of a campaign of ratings.
        campaigns: the keys of these other campaigns, for a faster query; None for all.
        """
        seen = Assignment.objects.filter(annotator=annotator)
        free = self.filter(~Exists(seen.filter(pair=OuterRef("pk"))), places__gt=0).order_by("turn", "position")
        elsewhere = _on_same_texts(seen)
        if campaigns is None:
            return free.filter(Q(campaign__allow_repeats=True) | ~Exists(elsewhere))
        return free.filter(~Exists(elsewhere.filter(campaign__in=campaigns))) if campaigns else free

    def seen_elsewhere(self, annotator: User | OuterRef) -> Self:
        """Pairs that need votes and are not free only because another campaign on the attribute showed them."""
        seen = Assignment.objects.filter(annotator=annotator)
        new = self.filter(~Exists(seen.filter(pair=OuterRef("pk"))), places__gt=0, campaign__allow_repeats=False)
        # the first condition is not needed: it lets the database begin with the few texts that the person saw
        return new.filter(Exists(seen.filter(pair__one=OuterRef("one"))), Exists(_on_same_texts(seen)))

    def unseen_gold(self, annotator: User | OuterRef) -> Self:
        """Gold pairs whose texts this annotator saw in no campaign on the attribute."""
        same_texts = Assignment.objects.filter(pair__one=OuterRef("one"), pair__other=OuterRef("other"))
        seen = same_texts.filter(annotator=annotator, pair__attribute=OuterRef("attribute"))
        return self.filter(~Exists(seen), purpose=Purpose.GOLD)


def _on_same_texts(seen: AssignmentQuerySet) -> AssignmentQuerySet:
    """Return the assignments on the texts and the attribute of the outer pair."""
    is_single = Q(pair__other=None) & Q(IsNull(OuterRef("other"), True))
    same_texts = Q(pair__one=OuterRef("one")) & (Q(pair__other=OuterRef("other")) | is_single)
    return seen.filter(same_texts, pair__attribute=OuterRef("attribute"))


class CampaignPair(models.Model):
    """An unordered pair of a campaign on one attribute; `one` stands before `other` in the dataset.

    In a campaign of ratings it is a single text, `one`, and `other` is empty.
    Two texts that are asked about on several attributes are several pairs, in the order of the attributes.
    `places` and `turn` change together, when a place is taken or released. See services/campaigns/places.py.
    """

    campaign = models.ForeignKey("judging.Campaign", models.CASCADE, related_name="pairs")
    attribute = models.ForeignKey(Attribute, models.CASCADE, related_name="+")
    one = models.ForeignKey(Candidate, models.CASCADE, related_name="+")
    other = models.ForeignKey(
        Candidate,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty in a campaign of ratings, which shows one text at a time.",
    )
    position = models.PositiveIntegerField(help_text="Position in the order in which pairs are shown, from 0.")
    places = models.PositiveIntegerField(help_text="Votes that the pair needs and that are not reserved.")
    turn = models.BigIntegerField(help_text="Pairs with smaller turns are shown first.")
    purpose = models.CharField(max_length=20, choices=Purpose, default=Purpose.ORDINARY)
    gold_answer = models.CharField(
        max_length=10, choices=PairAnswer, blank=True, help_text="The known answer of a gold pair; empty for others."
    )

    objects = CampaignPairQuerySet.as_manager()

    class Meta:
        ordering = ["campaign_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "one", "other", "attribute"], name="pair_once_per_campaign"),
            models.UniqueConstraint(
                fields=["campaign", "one", "attribute"], condition=Q(other=None), name="single_text_once_per_campaign"
            ),
            models.UniqueConstraint(fields=["campaign", "position"], name="pair_position_once_per_campaign"),
            models.CheckConstraint(condition=~Q(one=F("other")), name="pair_of_two_candidates"),
            models.CheckConstraint(
                condition=Q(purpose="gold", gold_answer__gt="", places=0) | (~Q(purpose="gold") & Q(gold_answer="")),
                name="gold_pair_has_an_answer_and_no_places",
            ),
        ]
        indexes = [
            models.Index(fields=["campaign", "turn", "position"], condition=Q(places__gt=0), name="free_pairs_by_turn")
        ]

    def __str__(self) -> str:
        return f"pair {self.position}"

    @property
    def keys(self) -> tuple[int, int, int]:
        """The ids of both candidates and of the attribute. Raises ValueError for a single text."""
        if self.other_id is None:
            raise ValueError(f"{self} of a campaign of ratings has one text")
        return self.one_id, self.other_id, self.attribute_id

    @property
    def compared_with(self) -> Candidate:
        """The candidate that `one` is compared with. Raises ValueError for a single text."""
        if self.other is None:
            raise ValueError(f"{self} of a campaign of ratings has one text")
        return self.other


class PairDecision(models.Model):
    """An answer to a pair by a manager or an expert, apart from all votes."""

    pair = models.OneToOneField(CampaignPair, models.CASCADE, related_name="decision")
    answer = models.CharField(max_length=10, choices=PairAnswer)
    reason = models.TextField(blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty for the command line.",
    )
    decided_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.pair}: {self.answer}"
