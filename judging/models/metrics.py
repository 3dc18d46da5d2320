"""Metrics that a judge wrote itself."""

from __future__ import annotations

from django.db import models

from judging.models.datasets import Attribute, Context
from judging.models.judges import Judge


class ContextMetrics(models.Model):
    """What a judge wrote for one context, before it was shown any candidate: what to look at. Once, whichever runs use
    it.
    """

    judge = models.ForeignKey(Judge, models.CASCADE, related_name="+")
    attribute = models.ForeignKey(Attribute, models.CASCADE, related_name="+")
    context = models.ForeignKey(Context, models.CASCADE, related_name="+")
    prompt_sha256 = models.CharField(max_length=64, help_text="SHA-256 of the prompt by which it was asked for.")
    temperature = models.FloatField(
        default=0, help_text="At which it was sampled; 0 for the likeliest token each time."
    )
    seed = models.BigIntegerField(default=0, help_text="Of the run that sampled it; 0 where nothing was sampled.")
    text = models.TextField(blank=True)
    error = models.TextField(blank=True)
    generated_tokens = models.PositiveIntegerField(default=0)
    complete = models.BooleanField(default=True, help_text="Whether it came to its own end.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "context metrics"
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "attribute", "context", "prompt_sha256", "temperature", "seed"],
                name="metrics_once_per_context",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:80]
