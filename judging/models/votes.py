"""Votes of people, and the campaigns in which they are collected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from judging.models.datasets import Attribute, Candidate, Context, Dataset

if TYPE_CHECKING:
    from judging.models.users import User


class Choice(models.TextChoices):
    FIRST = "first"
    SECOND = "second"
    TIE = "tie"


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def visible_to(self, user: User) -> Self:
        """Researchers and admins see every campaign; an annotator those they take part in."""
        return self if user.is_researcher else self.open_to(user)

    def open_to(self, user: User) -> Self:
        return self.filter(annotators=user) if user.is_annotator else self.none()


class Campaign(models.Model):
    """Pairs of one dataset and attribute that annotators are asked to vote on."""

    name = models.CharField(max_length=200, unique=True)
    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="campaigns")
    attribute = models.ForeignKey(Attribute, models.CASCADE, related_name="campaigns")
    guidelines = models.TextField(blank=True, help_text="Markdown. Fixed once the first vote is in.")
    allow_ties = models.BooleanField(default=True, help_text="Fixed once the first vote is in.")
    votes_per_pair = models.PositiveIntegerField(default=3)
    seed = models.BigIntegerField(default=0, help_text="Seed of the choice of pairs.")
    annotators = models.ManyToManyField(settings.AUTH_USER_MODEL, blank=True, related_name="campaigns")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=Q(votes_per_pair__gte=1), name="campaign_asks_for_a_vote"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("campaign", args=[self.pk])


class CampaignPair(models.Model):
    """An unordered pair of a campaign; `one` stands before `other` in the dataset."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="pairs")
    one = models.ForeignKey(Candidate, models.CASCADE, related_name="+")
    other = models.ForeignKey(Candidate, models.CASCADE, related_name="+")
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["campaign_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "one", "other"], name="pair_once_per_campaign"),
            models.CheckConstraint(condition=~Q(one=F("other")), name="pair_of_two_candidates"),
        ]

    def __str__(self) -> str:
        return f"pair {self.position}"


class Assignment(models.Model):
    """A pair shown to an annotator, with its sides as drawn; held until it is answered or its time is up."""

    class Status(models.TextChoices):
        OPEN = "open"
        VOTED = "voted"
        SKIPPED = "skipped"

    pair = models.ForeignKey(CampaignPair, models.CASCADE, related_name="assignments")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="assignments")
    swapped = models.BooleanField(help_text="True where `other` is shown first.")
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    held_until = models.DateTimeField(help_text="After this another annotator may get the place.")
    skip_reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["pair", "annotator"], name="pair_once_per_annotator"),
            models.UniqueConstraint(
                fields=["annotator", "status"], condition=Q(status="open"), name="one_open_pair_per_annotator"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pair_id} for {self.annotator_id}: {self.status}"


class VoteQuerySet(models.QuerySet["Vote"]):
    def visible_to(self, user: User) -> Self:
        """Researchers and admins see all votes; everybody else their own."""
        return self if user.is_researcher else self.filter(user=user)


class Vote(models.Model):
    """An ordered pair, answered by a person."""

    context = models.ForeignKey(Context, models.CASCADE, related_name="votes")
    attribute = models.ForeignKey(Attribute, models.CASCADE, related_name="votes")
    first = models.ForeignKey(Candidate, models.CASCADE, related_name="+", help_text="As shown.")
    second = models.ForeignKey(Candidate, models.CASCADE, related_name="+", help_text="As shown.")
    choice = models.CharField(max_length=10, choices=Choice)
    rater = models.CharField(max_length=200)
    occurrence = models.PositiveIntegerField(
        default=0, help_text="0 for a rater's first vote on this ordered pair, 1 for a repeated one …"
    )
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="votes")
    assignment = models.OneToOneField(Assignment, models.SET_NULL, null=True, blank=True, related_name="vote")
    milliseconds = models.PositiveIntegerField(null=True, blank=True, help_text="Time on task; empty where unknown.")
    voted_at = models.DateTimeField(null=True, blank=True, help_text="Empty for votes that came with the dataset.")

    objects = VoteQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["attribute", "first", "second", "rater", "occurrence"], name="vote_once_per_rater_and_pair"
            ),
            models.CheckConstraint(condition=~Q(first=F("second")), name="vote_on_two_candidates"),
            models.CheckConstraint(condition=Q(choice__in=Choice.values), name="vote_has_a_known_choice"),
            models.CheckConstraint(condition=~Q(rater=""), name="vote_has_a_rater"),
        ]

    def __str__(self) -> str:
        return f"{self.rater}: {self.choice}"
