"""Forecasts: prompts, tokens, time and cost of runs before they start, made by workers."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.utils import timezone

from judging.models.datasets import Dataset
from judging.models.judges import Judge

if TYPE_CHECKING:
    from judging.models.users import User

USUAL_WAIT, LONGEST_WAIT, LONGEST_WORK = timedelta(seconds=10), timedelta(hours=1), timedelta(minutes=10)


class ForecastQuerySet(models.QuerySet["ForecastRequest"]):
    def visible_to(self, user: User) -> Self:
        """A user's own forecasts on datasets they may see; admins do not see those of others."""
        return self.filter(requested_by=user, dataset__in=Dataset.objects.visible_to(user))

    def waiting(self) -> Self:
        """Forecasts that no worker has claimed, requested within the last hour."""
        return self.filter(state=ForecastRequest.State.PENDING, requested_at__gte=timezone.now() - LONGEST_WAIT)

    def in_progress(self) -> Self:
        """Forecasts that a worker claimed within the last ten minutes."""
        return self.filter(state=ForecastRequest.State.RUNNING, started_at__gte=timezone.now() - LONGEST_WORK)

    def claim(self, request_id: int) -> bool:
        """Set a waiting forecast to running; False if another worker was faster or it expired."""
        waiting = self.waiting().filter(pk=request_id)
        return waiting.update(state=ForecastRequest.State.RUNNING, started_at=timezone.now()) == 1

    def release(self, request_id: int) -> None:
        """Return a running forecast to the queue and drop its partial results."""
        claimed = self.filter(pk=request_id, state=ForecastRequest.State.RUNNING)
        claimed.update(state=ForecastRequest.State.PENDING, counted=0, tried=0, rows=[])


class ForecastRequest(models.Model):
    """A forecast of runs of one judge, requested by one researcher, and its results."""

    class State(models.TextChoices):
        PENDING = "pending", "Queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="+")
    judge = models.ForeignKey(Judge, models.CASCADE, related_name="forecasts")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="forecasts")
    study = models.ForeignKey(
        "judging.Study",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="forecasts",
        help_text="The study whose runs it forecasts; empty for runs of no study.",
    )
    digest = models.CharField(max_length=64, help_text="SHA-256 of the runs' specs and the pilot size.")
    requested = models.JSONField(help_text='{"runs": [[attribute id, prompt id], …], "selection": …}')
    pilot = models.PositiveIntegerField(help_text="Questions of each run that the pilot asks; 0 for no pilot.")
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    counted = models.PositiveIntegerField(default=0, help_text="Runs whose tokens are counted.")
    tried = models.PositiveIntegerField(default=0, help_text="Runs whose pilot is complete.")
    rows = models.JSONField(default=list, blank=True, help_text="One row per run; empty until all runs are counted.")
    error = models.TextField(blank=True, help_text="Why it failed.")
    requested_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)

    objects = ForecastQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"forecast {self.pk}: {self.state}"

    @property
    def runs(self) -> int:
        """Number of runs in the forecast."""
        return len(self.requested["runs"])

    @property
    def questions(self) -> int:
        """Number of comparisons and scores of all runs."""
        return int(self.requested["questions"])

    @property
    def problem(self) -> str:
        """Why the forecast failed or will not be finished; empty otherwise."""
        now = timezone.now()
        if self.state == self.State.PENDING and self.requested_at < now - LONGEST_WAIT:
            return "no worker started it within an hour"
        if self.state == self.State.RUNNING and self.started_at and self.started_at < now - LONGEST_WORK:
            return TOO_LONG
        return self.error

    @property
    def is_stale(self) -> bool:
        """True if it has waited for a worker for over ten seconds."""
        return self.state == self.State.PENDING and self.requested_at < timezone.now() - USUAL_WAIT

    @property
    def is_over(self) -> bool:
        """True if it is done or failed."""
        return self.state == self.State.DONE or bool(self.problem)


WITHOUT_LIMIT = "the command has no such limit"
TOO_LONG = f"it took longer than ten minutes, or its worker was killed; {WITHOUT_LIMIT}"
