"""Endpoints: batches of questions answered within a day at half the price, and uses that daily limits count."""

from datetime import timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Sum
from django.db.models.functions import Now, TruncDay

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


class EndpointUseQuerySet(models.QuerySet["EndpointUse"]):
    def today(self) -> Self:
        """Uses since 00:00 UTC, by the clock of the database: those of workers may be wrong."""
        return self.filter(used_at__gte=TruncDay(Now()))

    def totals(self) -> dict[str, int]:
        """Return the sums of requests and of tokens."""
        sums = self.aggregate(requests=Sum("requests"), tokens=Sum("tokens"))
        return {name: number or 0 for name, number in sums.items()}


class EndpointUse(models.Model):
    """Requests and tokens of one slice, or requests of one batch. It stays when its run is deleted."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="Owner of the run; empty for the command line.",
    )
    key = models.CharField(max_length=200, blank=True, help_text="Name of the variable of the API key.")
    requests = models.PositiveIntegerField()
    tokens = models.PositiveBigIntegerField(help_text="Tokens of prompts and replies.")
    used_at = models.DateTimeField(db_index=True, help_text="By the clock of the database.")

    objects = EndpointUseQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.requests} requests by {self.key or 'no key'}"
