"""Work handed to the workers, and what of it got lost: the database knows, whatever became of the messages."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from judging.models import ACTIVE, Chunk, Run
from judging.models.chunks import ChunkQuerySet

GRACE = timedelta(seconds=10)


def hand_to_workers(run: Run) -> list[Chunk]:
    """Note that the workers judge a run, and return the chunks that they are to be told of."""
    if not Run.objects.active().filter(pk=run.pk).update(queued_at=timezone.now()):
        return []
    return _with_judge(Chunk.objects.unfinished().filter(run=run))


def free_abandoned() -> list[Chunk]:
    """Free the chunks whose worker gave no sign of life for too long, and return them, each to be sent once more."""
    abandoned = Chunk.objects.expired().filter(run__status__in=ACTIVE, run__queued_at__isnull=False)
    return [chunk for chunk in _with_judge(abandoned) if Chunk.objects.free(chunk.pk)]


def waiting_chunks() -> list[Chunk]:
    """Chunks that workers were told of a while ago and that nobody took up: lost, if their queue is empty."""
    waiting = Chunk.objects.filter(
        status=Chunk.Status.PENDING, run__status__in=ACTIVE, run__queued_at__lt=timezone.now() - GRACE
    )
    return _with_judge(waiting)


def finish_runs() -> None:
    """Note as done the runs whose last worker died just before it could."""
    for run_id in Run.objects.active().values_list("pk", flat=True):
        Run.objects.finish(run_id)


def _with_judge(chunks: ChunkQuerySet) -> list[Chunk]:
    return list(chunks.select_related("run__judge").defer("pairs", "held_out", "run__spec", "run__environment"))
