"""Consent texts of campaigns with their versions, and who accepted which."""

from django.conf import settings
from django.db import models

from judging.models.labelling.campaigns import Campaign


class ConsentText(models.Model):
    """A version of the text that annotators accept before their first pair. An empty text asks for no consent."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField(help_text="1 for the first text of the campaign.")
    text = models.TextField(blank=True, help_text="Markdown.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["campaign_id", "version"]
        constraints = [models.UniqueConstraint(fields=["campaign", "version"], name="consent_version_once")]

    def __str__(self) -> str:
        return f"consent text {self.version} of campaign {self.campaign_id}"


class Consent(models.Model):
    """An annotator accepted a version of a consent text."""

    text = models.ForeignKey(ConsentText, models.CASCADE, related_name="consents")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="consents")
    accepted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["text", "annotator"], name="consent_once_per_annotator")]

    def __str__(self) -> str:
        return f"{self.annotator_id} accepted text {self.text_id}"
