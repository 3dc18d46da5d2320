"""Events of runs: the log that a run's page shows."""

from django.db import models
from django.db.models import Q


class RunEventQuerySet(models.QuerySet["RunEvent"]):
    def record(self, run_id: int, kind: str, *, detail: str = "") -> None:
        """Store an event that happens now."""
        self.create(run_id=run_id, kind=kind, detail=detail)


class RunEvent(models.Model):
    """Something that happened to a run as a whole. Single answers are not events."""

    class Kind(models.TextChoices):
        QUEUED = "queued", "Queued for the workers"
        LOADING = "loading", "Loading the model"
        LOADED = "loaded", "Model ready"
        WORKER_LOST = "worker-lost", "A worker stopped answering; its chunk is judged again"
        CANCELLED = "cancelled", "Cancelled"
        FAILED = "failed", "Failed"
        RESUMED = "resumed", "Resumed"
        DONE = "done", "Finished"

    run = models.ForeignKey("judging.Run", models.CASCADE, related_name="events")
    kind = models.CharField(max_length=20, choices=Kind)
    detail = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)

    objects = RunEventQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    kind__in=["queued", "loading", "loaded", "worker-lost", "cancelled", "failed", "resumed", "done"]
                ),
                name="run_event_kind_is_known",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.detail}" if self.detail else self.get_kind_display()


KINDS_OF_EVENTS = RunEvent.Kind.choices
