"""The attributes that a campaign asks about, in its order, each with its question."""

from __future__ import annotations

from django.db import models

from judging.models.datasets import Attribute


class CampaignAttributeManager(models.Manager["CampaignAttribute"]):
    """Reads the attributes in the same query."""

    def get_queryset(self) -> models.QuerySet[CampaignAttribute]:
        return super().get_queryset().select_related("attribute")


class CampaignAttribute(models.Model):
    """An attribute that a campaign asks about. Annotators answer its question on each pair."""

    campaign = models.ForeignKey("judging.Campaign", models.CASCADE, related_name="asked_attributes")
    attribute = models.ForeignKey(Attribute, models.CASCADE, related_name="+")
    position = models.PositiveIntegerField(help_text="Position among the attributes of the campaign, from 0.")
    question = models.CharField(
        max_length=300, blank=True, help_text="Asked above each pair; empty for the question in the words of prompts."
    )

    objects = CampaignAttributeManager()

    class Meta:
        ordering = ["campaign_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "attribute"], name="attribute_once_per_campaign"),
            models.UniqueConstraint(fields=["campaign", "position"], name="attribute_position_once_per_campaign"),
        ]

    def __str__(self) -> str:
        return self.attribute.name

    @property
    def asked_question(self) -> str:
        """The campaign's own question, or "Which summary is more coherent?"."""
        return self.question or f"Which {self.campaign.noun} is {self.attribute.asked_as}?"
