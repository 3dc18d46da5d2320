"""Parts of a run's work, and the leases under which workers hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models import F, Q
from django.utils import timezone


@dataclass(frozen=True, slots=True)
class Hold:
    """A chunk in somebody's hands. Whoever takes it up next gets another `attempt`, and this hold is worth nothing."""

    chunk_id: int
    attempt: int
    lease: timedelta


class ChunkQuerySet(models.QuerySet["Chunk"]):
    def unfinished(self) -> Self:
        return self.exclude(status=Chunk.Status.DONE)

    def held(self) -> Self:
        """Parts that somebody works on, as far as their lease says."""
        return self.filter(status=Chunk.Status.RUNNING, lease_until__gte=timezone.now())

    def expired(self) -> Self:
        """Parts whose holder gave no sign of life for too long."""
        return self.filter(status=Chunk.Status.RUNNING, lease_until__lt=timezone.now())

    def claim(self, chunk_id: int, *, lease: timedelta) -> Hold | None:
        """Take up a part that nobody holds; None if it is done or held."""
        now = timezone.now()
        # Conditions on the row itself only: with a join, PostgreSQL would let two claims through.
        free = self.filter(Q(status=Chunk.Status.PENDING) | Q(status=Chunk.Status.RUNNING, lease_until__lt=now))
        claimed = free.filter(pk=chunk_id).update(
            status=Chunk.Status.RUNNING, attempt=F("attempt") + 1, lease_until=now + lease
        )
        if not claimed:
            return None
        return Hold(chunk_id, self.values_list("attempt", flat=True).get(pk=chunk_id), lease)

    def free(self, chunk_id: int) -> bool:
        """Take a part from a holder that gave no sign of life for too long; False if one has come, or it is free."""
        return self.expired().filter(pk=chunk_id).update(status=Chunk.Status.PENDING, lease_until=None) == 1

    def of(self, hold: Hold) -> Self:
        """The part, if the hold is still good."""
        return self.filter(pk=hold.chunk_id, attempt=hold.attempt, status=Chunk.Status.RUNNING)

    def extend(self, hold: Hold) -> bool:
        """Give a sign of life; False if the hold is lost."""
        return self.of(hold).update(lease_until=timezone.now() + hold.lease) == 1

    def release(self, hold: Hold) -> None:
        """Give a part back unfinished; one that is finished, or of which the hold is lost, stays as it is."""
        self.of(hold).update(status=Chunk.Status.PENDING, lease_until=None)

    def reopen(self, chunk_ids: Sequence[int]) -> int:
        """Make parts that nobody holds free to be taken up again, even if they were done; how many there are.

        Who held one before, and finds it out too late, has lost it: a hold is of a part that is judged.
        """
        held = Q(status=Chunk.Status.RUNNING, lease_until__gte=timezone.now())
        # On the row itself: whoever takes the part up meanwhile makes the condition false.
        not_held = self.filter(~held, pk__in=chunk_ids)
        return not_held.update(status=Chunk.Status.PENDING, lease_until=None)

    def complete(self, hold: Hold) -> bool:
        """Note that every pair of the part has its row; False if the hold is lost."""
        return self.of(hold).update(status=Chunk.Status.DONE, lease_until=None) == 1


class Chunk(models.Model):
    """A part of a run's work, held under a lease: what a dead worker held is free again."""

    class Status(models.TextChoices):
        PENDING = "pending"
        RUNNING = "running"
        DONE = "done"

    run = models.ForeignKey("judging.Run", models.CASCADE, related_name="chunks")
    part = models.PositiveIntegerField(help_text="Place among the run's chunks, from 0.")
    pairs = models.JSONField(
        help_text="What is asked, as far as it is drawn: [[first, second], …], candidate ids; of a scoring run "
        "[[candidate], …]. An adaptive choice adds to it, round by round."
    )
    held_out = models.JSONField(
        default=list,
        blank=True,
        help_text="Those of the pairs that are drawn at random beside an adaptive choice, which does not look at them.",
    )
    planned = models.PositiveIntegerField(
        help_text="Comparisons; more than there are pairs while an adaptive choice goes on."
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.PENDING)
    attempt = models.PositiveIntegerField(
        default=0, help_text="How often it was taken up; names the holder of the lease."
    )
    lease_until = models.DateTimeField(null=True, blank=True, help_text="Heartbeat: after this the work is free again.")

    objects = ChunkQuerySet.as_manager()

    class Meta:
        ordering = ["run_id", "part"]
        constraints = [models.UniqueConstraint(fields=["run", "part"], name="chunk_once_per_run")]
        indexes = [models.Index(fields=["status", "lease_until"], name="chunk_by_lease")]

    def __str__(self) -> str:
        return f"chunk {self.part} of run {self.run_id}: {self.status}"
