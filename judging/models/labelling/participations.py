"""Annotators who take part in a campaign."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Participation(models.Model):
    """An annotator who takes part in a campaign."""

    campaign = models.ForeignKey("judging.Campaign", models.CASCADE, related_name="participations")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="participations")
    guidelines = models.ForeignKey(
        "judging.GuidelinesText",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="participations",
        help_text="The version that the annotator read last; empty before. Voting needs the current one.",
    )
    guidelines_read_at = models.DateTimeField(
        null=True, blank=True, help_text="When the annotator read them; empty before."
    )
    most_pairs = models.PositiveIntegerField(
        null=True, blank=True, help_text="Number of pairs that are this annotator's part; empty for all."
    )
    turn = models.BigIntegerField(
        default=0, help_text="Turn of the pair that was last reserved. The search for the next pair continues here."
    )
    pairs_total = models.PositiveIntegerField(
        null=True, blank=True, help_text="Own votes and pairs left to vote on, counted about once a minute."
    )
    counted_at = models.DateTimeField(null=True, blank=True, help_text="When `pairs_total` was counted.")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "annotator"], name="participation_once_per_annotator")
        ]
        indexes = [models.Index(fields=["campaign", "turn"], name="participation_turn")]

    def __str__(self) -> str:
        return f"{self.annotator_id} in campaign {self.campaign_id}"

    def is_complete(self, votes: int) -> bool:
        """Return True if this number of votes is the annotator's whole part."""
        return self.most_pairs is not None and votes >= self.most_pairs
