"""The attributes that a campaign asks about, in its order, each with its question."""

from django.db import models
from django.db.models import F, Q

from judging.models.datasets import Attribute


class CampaignAttributeManager(models.Manager["CampaignAttribute"]):
    """Reads the attributes in the same query."""

    def get_queryset(self) -> models.QuerySet["CampaignAttribute"]:
        return super().get_queryset().select_related("attribute")


class CampaignAttribute(models.Model):
    """An attribute that a campaign asks about. Annotators answer its question on each pair."""

    campaign = models.ForeignKey("judging.Campaign", models.CASCADE, related_name="asked_attributes")
    attribute = models.ForeignKey(Attribute, models.CASCADE, related_name="+")
    position = models.PositiveIntegerField(help_text="Position among the attributes of the campaign, from 0.")
    question = models.CharField(
        max_length=300, blank=True, help_text="Asked above each pair; empty for the question in the words of prompts."
    )
    lowest = models.SmallIntegerField(null=True, blank=True, help_text="Lowest rating; empty in campaigns of pairs.")
    highest = models.SmallIntegerField(null=True, blank=True, help_text="Highest rating; empty in campaigns of pairs.")
    lowest_label = models.CharField(max_length=80, blank=True, help_text="Meaning of the lowest rating.")
    highest_label = models.CharField(max_length=80, blank=True, help_text="Meaning of the highest rating.")

    objects = CampaignAttributeManager()

    class Meta:
        ordering = ["campaign_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "attribute"], name="attribute_once_per_campaign"),
            models.UniqueConstraint(fields=["campaign", "position"], name="attribute_position_once_per_campaign"),
            models.CheckConstraint(
                condition=Q(lowest=None, highest=None) | Q(lowest__lt=F("highest")), name="scale_has_two_levels"
            ),
        ]

    def __str__(self) -> str:
        return self.attribute.name

    @property
    def asked_question(self) -> str:
        """The campaign's own question, or "Which summary is more coherent?", or "How coherent is this summary?"."""
        if self.question:
            return self.question
        if self.campaign.is_of_ratings:
            return f"How {self.attribute.rated_as} is this {self.campaign.noun}?"
        return f"Which {self.campaign.noun} is {self.attribute.asked_as}?"

    @property
    def levels(self) -> range:
        """The possible ratings, the lowest first; none in a campaign of pairs."""
        return range(0) if self.lowest is None or self.highest is None else range(self.lowest, self.highest + 1)
