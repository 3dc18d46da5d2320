"""Guidelines of campaigns with their versions."""

import hashlib

from django.conf import settings
from django.db import models


class GuidelinesText(models.Model):
    """A version of the guidelines that annotators read before they vote. The latest version is the current one."""

    campaign = models.ForeignKey("judging.Campaign", models.CASCADE, related_name="guidelines_texts")
    version = models.PositiveIntegerField(help_text="1 for the first guidelines of the campaign.")
    text = models.TextField(blank=True, help_text="Markdown. Empty if there is only the question.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["campaign_id", "version"]
        constraints = [models.UniqueConstraint(fields=["campaign", "version"], name="guidelines_version_once")]

    def __str__(self) -> str:
        return f"guidelines {self.version} of campaign {self.campaign_id}"

    @property
    def digest(self) -> str:
        """The first 12 digits of the text's SHA-256, which name it in exports; "" without a text."""
        return guidelines_digest(self.text)


def guidelines_digest(text: str) -> str:
    """Return the first 12 digits of the SHA-256 of guidelines; "" without a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12] if text else ""
