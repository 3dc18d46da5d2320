"""Forecasts that workers are asked to make: what runs would ask and cost, before anybody starts them."""

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
        """One's own; nobody else's, not even for an admin."""
        return self.filter(asked_by=user) if user.is_researcher else self.none()

    def waiting(self) -> Self:
        """Those that nobody has taken up, and somebody may still want."""
        return self.filter(state=ForecastRequest.State.PENDING, requested_at__gte=timezone.now() - LONGEST_WAIT)

    def in_work(self) -> Self:
        """Those that a worker is at, as far as can be told."""
        return self.filter(state=ForecastRequest.State.RUNNING, started_at__gte=timezone.now() - LONGEST_WORK)

    def claim(self, request_id: int) -> bool:
        """Take a forecast up; False if another worker was faster, or nobody wants it any more."""
        waiting = self.waiting().filter(pk=request_id)
        return waiting.update(state=ForecastRequest.State.RUNNING, started_at=timezone.now()) == 1

    def release(self, request_id: int) -> None:
        """Give it back, to be made anew."""
        claimed = self.filter(pk=request_id, state=ForecastRequest.State.RUNNING)
        claimed.update(state=ForecastRequest.State.PENDING, counted=0, tried=0, rows=[])


class ForecastRequest(models.Model):
    """A forecast of runs of one judge that one researcher asked for, and what came of it."""

    class State(models.TextChoices):
        PENDING = "pending", "Queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="+")
    judge = models.ForeignKey(Judge, models.CASCADE, related_name="forecasts")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="forecasts")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the runs' specs and the pilot: what is forecast.")
    asked = models.JSONField(help_text='What is forecast: {"runs": [[attribute, prompt], …], "choice": …}, with ids.')
    pilot = models.PositiveIntegerField(help_text="Questions of each run that are really asked; 0 for none.")
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    counted = models.PositiveIntegerField(default=0, help_text="Runs whose tokens are counted.")
    tried = models.PositiveIntegerField(default=0, help_text="Runs whose pilot is through.")
    rows = models.JSONField(
        default=list, blank=True, help_text="What is known of each run; none before all are counted."
    )
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
        """How many runs it is about."""
        return len(self.asked["runs"])

    @property
    def problem(self) -> str:
        """Why nothing, or no more, is to be expected of it; empty where something is, or all is there."""
        now = timezone.now()
        if self.state == self.State.PENDING and self.requested_at < now - LONGEST_WAIT:
            return "no worker took it up within an hour"
        if self.state == self.State.RUNNING and self.started_at and self.started_at < now - LONGEST_WORK:
            return TOO_LONG
        return self.error

    @property
    def is_stale(self) -> bool:
        """Whether no worker has taken it up for longer than usual."""
        return self.state == self.State.PENDING and self.requested_at < timezone.now() - USUAL_WAIT

    @property
    def is_over(self) -> bool:
        """Whether nothing changes any more."""
        return self.state == self.State.DONE or bool(self.problem)


WITHOUT_LIMIT = "the command says it without such a limit"
TOO_LONG = f"it took longer than ten minutes, or its worker was killed; {WITHOUT_LIMIT}"
