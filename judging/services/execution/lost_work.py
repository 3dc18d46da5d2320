"""Finds and frees the chunks of dead workers, and chunks whose message got lost. Reads the database only."""

from datetime import timedelta

from django.db.models.functions import Now

from judging.models import ACTIVE_STATUSES, Chunk, Run, RunEvent
from judging.models.chunks_and_workers import ChunkQuerySet
from judging.models.runs import RunQuerySet

MESSAGE_GRACE = timedelta(seconds=10)
"""Time that a message may take to reach a worker."""


def queue_run(run: Run) -> list[Chunk]:
    """Mark a run as queued for the workers, and return its unfinished chunks, which need messages."""
    if not Run.objects.active().filter(pk=run.pk).update(queued_at=Now()):
        return []
    RunEvent.objects.record(run.pk, RunEvent.Kind.QUEUED)
    return with_judge(Chunk.objects.unfinished().filter(run=run))


def free_chunks_of_dead_workers() -> list[Chunk]:
    """Free queued chunks whose lease has expired, and return them, to be sent again.

    A worker extends its leases by heartbeats, so an expired lease means that the worker died.
    """
    expired = Chunk.objects.expired().filter(run__status__in=ACTIVE_STATUSES, run__queued_at__isnull=False)
    freed = [chunk for chunk in with_judge(expired) if Chunk.objects.free_expired(chunk.pk)]
    for chunk in freed:
        RunEvent.objects.record(chunk.run_id, RunEvent.Kind.WORKER_LOST, detail=f"chunk {chunk.position + 1}")
    return freed


def runs_of_dead_commands(*, silence: timedelta) -> list[Run]:
    """Return the active runs that no worker was asked to judge, and that no command judges: a process was killed.

    A command that lives holds a chunk of one of its runs. It holds none for `silence` at most: between two chunks,
    while it waits for a batch, and before the first chunk of a run that it has stored or resumed.
    """
    unqueued = Run.objects.active().filter(queued_at=None).select_related("judge")
    dead = set(unqueued.filter(chunks__in=Chunk.objects.expired()))
    living = Chunk.objects.held_since(silence).filter(run__queued_at=None).values_list("run__owner", flat=True)
    owners = set(living)
    waiting = unqueued.filter(created_at__lt=Now() - silence).exclude(events__at__gte=Now() - silence)
    return sorted(dead | {run for run in waiting if run.owner_id not in owners}, key=lambda run: run.pk)


def unclaimed_chunks() -> list[Chunk]:
    """Return queued chunks that no worker has claimed after MESSAGE_GRACE. With an empty queue, they are lost."""
    unclaimed = Chunk.objects.filter(
        status=Chunk.Status.PENDING,
        run__status__in=ACTIVE_STATUSES,
        run__queued_at__lt=Now() - MESSAGE_GRACE,
    )
    return with_judge(unclaimed)


def waiting_runs(owner_id: int | None) -> RunQuerySet:
    """Return the runs of a person that the workers have not finished."""
    return Run.objects.active().filter(owner=owner_id, queued_at__isnull=False)


def finish_complete_runs() -> list[int]:
    """Set runs to done whose last worker died after its chunk was complete. Returns their ids."""
    return [run_id for run_id in Run.objects.active().values_list("pk", flat=True) if Run.objects.finish(run_id)]


def with_judge(chunks: ChunkQuerySet) -> list[Chunk]:
    """Load chunks with their runs and judges, without what only their worker needs."""
    return list(chunks.select_related("run__judge").defer("pairs", "held_out", "run__spec", "run__environment"))
