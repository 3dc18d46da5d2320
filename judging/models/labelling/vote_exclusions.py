"""Votes that figures leave out, with the reason, and who left them out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.datasets import Dataset

if TYPE_CHECKING:
    from judging.models.labelling.campaigns import Campaign
    from judging.models.users import User


class VoteExclusionQuerySet(models.QuerySet["VoteExclusion"]):
    def active(self) -> Self:
        """Exclusions that hold: those that nobody has taken back."""
        return self.filter(restored_at=None)

    def of_rater(self, rater: str, campaign: Campaign | None = None) -> Self:
        """Exclusions of a rater that hold: on a dataset, or in a campaign."""
        return self.active().filter(rater=rater, campaign=campaign)

    def without_further_pairs(self) -> Self:
        """Exclusions that hold for a rater who gets no further pair."""
        return self.active().filter(goes_on=False)

    def visible_to(self, user: User) -> Self:
        """Exclusions on datasets that a researcher may see; none for others."""
        if not user.is_researcher:
            return self.none()
        return self.filter(dataset__in=Dataset.objects.visible_to(user))

    def changeable_by(self, user: User) -> Self:
        """Exclusions that a person may take back: of datasets they may change, and their own of campaigns of theirs."""
        own = Q(excluded_by=user, campaign__created_by=user)
        return self.visible_to(user).filter(Q(dataset__in=Dataset.objects.changeable_by(user)) | own)


class VoteExclusion(models.Model):
    """All votes of a rater on a dataset or of a campaign, also later ones, left out of figures until taken back."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="vote_exclusions")
    campaign = models.ForeignKey(
        "judging.Campaign",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="vote_exclusions",
        help_text="Empty if it holds for the votes of every campaign, and for imported ones.",
    )
    rater = models.CharField(max_length=200)
    goes_on = models.BooleanField(
        default=False, help_text="True if the rater still gets pairs, and the completion code at the end."
    )
    reason = models.TextField()
    excluded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty for the command line.",
    )
    excluded_at = models.DateTimeField(auto_now_add=True)
    restored_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    restored_at = models.DateTimeField(null=True, blank=True, help_text="When it was taken back; empty while it holds.")

    objects = VoteExclusionQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["dataset", "rater"], condition=Q(restored_at=None, campaign=None), name="rater_excluded_once"
            ),
            models.UniqueConstraint(
                fields=["campaign", "rater"], condition=Q(restored_at=None), name="rater_excluded_once_per_campaign"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="vote_exclusion_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.rater}: {self.reason}"
