"""Chunks, the parts of a run, each judged by one worker under a lease; and workers, with their latest sign of life."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now


@dataclass(frozen=True, slots=True)
class Lease:
    """One worker's right to judge a chunk. The next claim raises `attempt`, which ends this lease.

    duration: time that the lease lasts after each extension.
    """

    chunk_id: int
    attempt: int
    duration: timedelta


class ChunkQuerySet(models.QuerySet["Chunk"]):
    """Chunks by their leases, which the clock of the database times: those of workers may be wrong."""

    def unfinished(self) -> Self:
        return self.exclude(status=Chunk.Status.DONE)

    def held(self) -> Self:
        """Chunks whose lease has not expired: a worker judges them."""
        return self.filter(status=Chunk.Status.RUNNING, lease_until__gte=Now())

    def expired(self) -> Self:
        """Chunks whose lease has expired: their worker died or lost the database."""
        return self.filter(status=Chunk.Status.RUNNING, lease_until__lt=Now())

    def claim(self, chunk_id: int, *, duration: timedelta) -> Lease | None:
        """Lease a chunk for a duration; None if it is done or another worker holds it."""
        # Conditions on the row itself only: with a join, PostgreSQL would let two claims through.
        free = self.filter(Q(status=Chunk.Status.PENDING) | Q(status=Chunk.Status.RUNNING, lease_until__lt=Now()))
        claimed = free.filter(pk=chunk_id).update(
            status=Chunk.Status.RUNNING, attempt=F("attempt") + 1, lease_until=Now() + duration
        )
        if not claimed:
            return None
        return Lease(chunk_id, self.values_list("attempt", flat=True).get(pk=chunk_id), duration)

    def free_expired(self, chunk_id: int) -> bool:
        """Free a chunk whose lease has expired; False if another process extended or freed it first."""
        return self.expired().filter(pk=chunk_id).update(status=Chunk.Status.PENDING, lease_until=None) == 1

    def of(self, lease: Lease) -> Self:
        """The chunk of a lease, if that lease still holds."""
        return self.filter(pk=lease.chunk_id, attempt=lease.attempt, status=Chunk.Status.RUNNING)

    def extend(self, lease: Lease) -> bool:
        """Extend a lease by its duration; False if it is lost."""
        return self.of(lease).update(lease_until=Now() + lease.duration) == 1

    def release(self, lease: Lease) -> None:
        """Free an unfinished chunk. A finished chunk and a lost lease change nothing."""
        self.of(lease).update(status=Chunk.Status.PENDING)

    def reopen(self, chunk_ids: Sequence[int]) -> int:
        """Set chunks that no worker holds to pending, even if they were done; return how many.

        A worker whose lease had expired has then lost it: a lease needs a running chunk.
        """
        held = Q(status=Chunk.Status.RUNNING, lease_until__gte=Now())
        # A condition on the row itself: a claim in between makes it false.
        not_held = self.filter(~held, pk__in=chunk_ids)
        return not_held.update(status=Chunk.Status.PENDING, lease_until=None)

    def complete(self, lease: Lease) -> bool:
        """Mark a chunk as done: each of its pairs has a row. False if the lease is lost."""
        return self.of(lease).update(status=Chunk.Status.DONE) == 1

    def held_since(self, silence: timedelta) -> Self:
        """Chunks that a process holds, or held until then: it gave them back, or finished them, and may still live."""
        return self.filter(status__in=Chunk.Status.values, lease_until__gte=Now() - silence)  # the index needs both


class Chunk(models.Model):
    """A part of a run that one worker judges under a lease. An expired lease frees it again."""

    class Status(models.TextChoices):
        PENDING = "pending"
        RUNNING = "running"
        DONE = "done"

    run = models.ForeignKey("judging.Run", models.CASCADE, related_name="chunks")
    position = models.PositiveIntegerField(help_text="Position among the run's chunks, from 0.")
    pairs = models.JSONField(
        help_text="Candidate ids of the pairs drawn so far: [[first, second], …]; in a scoring run [[candidate], …]. "
        "An adaptive run adds pairs round by round."
    )
    held_out = models.JSONField(
        default=list,
        blank=True,
        help_text="Random pairs of an adaptive run that are kept for evaluation and choose no further pairs.",
    )
    planned = models.PositiveIntegerField(
        help_text="Planned comparisons; more than the pairs drawn so far while an adaptive run goes on."
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.PENDING)
    attempt = models.PositiveIntegerField(
        default=0, help_text="How often it was claimed; identifies the current lease."
    )
    lease_until = models.DateTimeField(null=True, blank=True, help_text="End of the lease; heartbeats move it on.")

    objects = ChunkQuerySet.as_manager()

    class Meta:
        ordering = ["run_id", "position"]
        constraints = [models.UniqueConstraint(fields=["run", "position"], name="chunk_once_per_run")]
        indexes = [models.Index(fields=["status", "lease_until"], name="chunk_by_lease")]

    def __str__(self) -> str:
        return f"chunk {self.position} of run {self.run_id}: {self.status}"


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
