"""Workers: reports about themselves, and the chunks of dead ones. Finding these needs the database alone."""

import os
import socket
import subprocess
import time
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

from django.db.models.functions import Now
from django.utils import timezone

from judging.models import ACTIVE_STATUSES, Chunk, Run, RunEvent, Worker
from judging.models.chunks import ChunkQuerySet
from judging.models.runs import RunQuerySet
from judging.services.execution.claimed_chunk import Heartbeat

MESSAGE_GRACE = timedelta(seconds=10)
"""Time that a message may take to reach a worker."""
REPORT_SECONDS = 15.0
REPORTS_OF_A_RATE = 12
STORED_ANSWERS: Counter[str] = Counter()
"""Answers that this process has stored: outcome, or problem of an unparsed one -> number."""
_totals: deque[tuple[float, int]] = deque(maxlen=REPORTS_OF_A_RATE)
"""time.monotonic() and number of stored answers, at the latest reports."""


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


def runs_of_dead_commands() -> list[Run]:
    """Return the runs whose lease has expired and which no worker was asked to judge: their command was killed."""
    unqueued = Run.objects.filter(status=Run.Status.RUNNING, queued_at=None).select_related("judge")
    return list(unqueued.filter(chunks__in=Chunk.objects.expired()).distinct())


def unclaimed_chunks() -> list[Chunk]:
    """Return queued chunks that no worker has claimed after MESSAGE_GRACE. With an empty queue, they are lost."""
    unclaimed = Chunk.objects.filter(
        status=Chunk.Status.PENDING, run__status__in=ACTIVE_STATUSES, run__queued_at__lt=Now() - MESSAGE_GRACE
    )
    return with_judge(unclaimed)


def waiting_runs(owner_id: int | None) -> RunQuerySet:
    """Return the runs of a person that the workers have not finished."""
    return Run.objects.active().filter(owner=owner_id, queued_at__isnull=False)


def finish_complete_runs() -> None:
    """Set runs to done whose last worker died after its chunk was complete."""
    for run_id in Run.objects.active().values_list("pk", flat=True):
        Run.objects.finish(run_id)


def with_judge(chunks: ChunkQuerySet) -> list[Chunk]:
    """Load chunks with their runs and judges, without what only their worker needs."""
    return list(chunks.select_related("run__judge").defer("pairs", "held_out", "run__spec", "run__environment"))


@dataclass(frozen=True, slots=True)
class GraphicsCard:
    """A GPU. number: in the list of nvidia-smi. used, total: bytes. celsius: temperature. None: unknown."""

    number: int
    used: int | None
    total: int | None
    celsius: int | None


def own_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def report_worker(queues: str, model: str = "") -> None:
    """Store that this process lives, what it does, and what it has done. model: the one that it holds."""
    Worker.objects.update_or_create(
        name=own_name(),
        defaults={
            "queues": queues,
            "model": model,
            "chunks": Heartbeat.chunks(),
            "per_second": _rate(),
            "memory": resident_bytes(),
            "gpus": [asdict(card) for card in read_cards()],
            "answers": dict(STORED_ANSWERS),
            "own_clock": timezone.now(),
            "seen_at": Now(),
        },
    )


def _rate() -> float:
    """Return the answers per second since the earliest of the latest reports."""
    now, total = time.monotonic(), STORED_ANSWERS.total()
    _totals.append((now, total))
    then, before = _totals[0]
    return (total - before) / (now - then) if now > then else 0.0


def count_answers(kinds: Iterable[str]) -> None:
    """Count stored answers. kinds: of each, its outcome, or the problem of an unparsed one."""
    STORED_ANSWERS.update(kinds)


def resident_bytes() -> int:
    """Return the resident memory of this process; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def read_cards() -> list[GraphicsCard]:
    """Return the GPUs that this process may use, as nvidia-smi describes them; none where it does not run."""
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    form = ("--query-gpu=index,memory.used,memory.total,temperature.gpu", "--format=csv,noheader,nounits")
    try:
        said = subprocess.run(
            ["nvidia-smi", *form, *(("--id", chosen) if chosen else ())],
            capture_output=True,
            text=True,
            timeout=REPORT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return [_read_card(line) for line in said.stdout.splitlines()]


def _read_card(line: str) -> GraphicsCard:
    """Read a line of nvidia-smi. For what a card does not say, it has words in brackets."""
    number, *mebibytes, celsius = (int(one) if one.strip().isdecimal() else None for one in line.split(","))
    used, total = (one and one * 2**20 for one in mebibytes)
    return GraphicsCard(number or 0, used, total, celsius)
