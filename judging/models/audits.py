"""People's marks on a judge's reasoning behind wrong decisions [Jeong2024, section 3.2]."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.models.runs import Comparison


class AuditMark(models.Model):
    """One person's mark: does the reasoning name the flaw of the text that the judge wrongly preferred?"""

    class Mark(models.TextChoices):
        NAMED = "named", "Identifies the flaw"
        MISSED = "missed", "Misses the flaw"
        UNSURE = "unsure", "Can't tell"

    comparison = models.ForeignKey(Comparison, models.CASCADE, related_name="marks")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="marks")
    mark = models.CharField(max_length=10, choices=Mark)
    marked_at = models.DateTimeField(auto_now=True, help_text="When the mark was set or last changed.")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["comparison", "user"], name="mark_once_per_person"),
            models.CheckConstraint(condition=Q(mark__in=["named", "missed", "unsure"]), name="mark_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.mark}"
