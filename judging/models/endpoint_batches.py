"""Batches of questions that an endpoint answers within a day, at half the price."""

from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models.functions import Now

BATCH_PRICE_SHARE = 0.5
"""Price of an answer in a batch, as a share of the usual price."""

ANSWERED_WITHIN = timedelta(days=1)
CANCELLING = "cancelling"
ENDED_STATUSES = ("completed", "expired", "cancelled", "failed")


class EndpointBatchQuerySet(models.QuerySet["EndpointBatch"]):
    def unfinished(self) -> Self:
        return self.exclude(status__in=ENDED_STATUSES)

    def paid_if_left(self) -> Self:
        """Batches that nobody has cancelled and that the endpoint may still answer, which it does within a day."""
        return self.unfinished().exclude(status=CANCELLING).filter(created_at__gt=Now() - ANSWERED_WITHIN)

    def supersede(self) -> None:
        """Let no ended batch be used again: its requests are sent in a new one."""
        self.filter(status__in=ENDED_STATUSES).update(is_superseded=True)


class EndpointBatch(models.Model):
    """A batch that was started for a run. Its key finds it again after a restart."""

    run = models.ForeignKey("judging.Run", models.CASCADE, related_name="batches")
    key = models.CharField(max_length=64, help_text="SHA-256 of its requests.")
    batch_id = models.CharField(max_length=200, help_text="The endpoint's name of the batch.")
    status = models.CharField(max_length=40, default="validating", help_text="As the endpoint calls it.")
    requests = models.PositiveIntegerField()
    completed = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    is_superseded = models.BooleanField(default=False, help_text="Its requests were asked again in another batch.")
    created_at = models.DateTimeField(auto_now_add=True)
    polled_at = models.DateTimeField(null=True, blank=True, help_text="When the endpoint was last asked about it.")

    objects = EndpointBatchQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "endpoint batches"
        constraints = [
            models.UniqueConstraint(
                fields=["run", "key"], condition=models.Q(is_superseded=False), name="batch_once_per_requests"
            )
        ]

    def __str__(self) -> str:
        return self.batch_id
