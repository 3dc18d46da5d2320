"""Workers, and when the database last heard of each."""

from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models.functions import Now

SEEN_WITHIN = timedelta(minutes=2)
"""A worker that is silent for longer counts as gone. It reports every 15 seconds, also while it judges."""


class WorkerQuerySet(models.QuerySet["Worker"]):
    def seen_lately(self) -> Self:
        """Workers that live, by the clock of the database."""
        return self.filter(seen_at__gte=Now() - SEEN_WITHIN)


class Worker(models.Model):
    """A worker process, as it last reported itself."""

    name = models.CharField(max_length=200, unique=True, help_text="HOST:PID")
    queues = models.CharField(max_length=100, help_text="Its queues, separated by commas.")
    memory = models.PositiveBigIntegerField(help_text="Resident memory in bytes.")
    gpus = models.JSONField(default=list, help_text="Its GPUs: number, used and total bytes, temperature in °C.")
    model = models.CharField(max_length=500, blank=True, help_text="Model that it holds; empty for none.")
    chunks = models.JSONField(default=list, help_text="Ids of the chunks that it judges.")
    per_second = models.FloatField(default=0.0, help_text="Answers per second over the last minutes.")
    own_clock = models.DateTimeField(help_text="The time on its machine at `seen_at`.")
    seen_at = models.DateTimeField(help_text="When it reported, by the clock of the database.")

    objects = WorkerQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class AnswerCount(models.Model):
    """How many answers of a kind all workers and commands have ever stored. Deleting answers changes nothing."""

    kind = models.CharField(max_length=30, unique=True, help_text="Outcome, or problem of an unparsed answer.")
    number = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.number} {self.kind}"
