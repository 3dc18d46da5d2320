"""Who works on what, and what waits: for the page of the workers and the API."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Annotated

from django.conf import settings
from django.db.models import Count, Q
from django.db.models.functions import Now

from evenhand.report_json import Help
from evenhand.units import counted
from judging.models import ACTIVE_STATUSES, Chunk, Judge, Run, User, Worker
from judging.services.execution.worker_reports import GraphicsCard
from judging.services.judges.endpoint_limits import pause_of
from judging.services.judges.package_installation import needs_local_packages, read_installation
from judging.services.runs.progress import STALE_AFTER
from judging.tasks import DEFAULT, GPU, queue_of


@dataclass(frozen=True)
class WorkingWorker:
    """A living worker. runs: those it judges that the reader may see. others: number of further ones.

    judges: names of judges with the model that it holds. memory: resident bytes. per_second: answers, over the last
    minutes. seen: seconds since its last report.
    """

    name: str
    queues: list[str]
    judges: list[str]
    runs: list[int]
    others: int
    per_second: float
    memory: int
    gpus: list[GraphicsCard]
    seen: float


@dataclass(frozen=True)
class WaitingRun:
    """A run that was given to the workers, and that none judges now. seconds: since then."""

    run: int
    dataset: str
    judge: str
    queue: str
    chunks: int
    seconds: float
    is_stuck: Annotated[bool, Help("True if no worker is there for it, or if idle ones do not take it.")]
    reason: Annotated[str, Help("Why it waits, as a sentence.")]


@dataclass(frozen=True)
class QueueState:
    """A queue: its waiting chunks, and the living workers that serve it."""

    queue: str
    chunks: int
    workers: int


@dataclass(frozen=True)
class WorkersReport:
    """All workers and queues. answer: whether anything waits that nobody works on. Stuck runs are the first waiting."""

    answer: str
    is_stuck: bool
    waiting: list[WaitingRun]
    queues: list[QueueState]
    workers: list[WorkingWorker]


def workers_report(user: User | None = None) -> WorkersReport:
    """Look at workers and queues. user: whose runs are named; None for all. The answer is about those of everybody."""
    workers = list(Worker.objects.seen_lately().annotate(now=Now()).order_by("name"))
    held = dict(Chunk.objects.held().values_list("pk", "run"))
    waiting = sorted(_waiting_runs(workers, held), key=lambda one: (not one.is_stuck, -one.seconds))
    visible = Run.objects.all() if user is None else Run.objects.visible_to(user)
    seen = set(visible.active().values_list("pk", flat=True))
    judges = Judge.objects.all() if user is None else Judge.objects.visible_to(user)
    chunks = waiting_by_queue()
    return WorkersReport(
        answer=_answer(waiting, len(workers)),
        is_stuck=any(one.is_stuck for one in waiting),
        waiting=[one for one in waiting if one.run in seen],
        queues=[QueueState(queue, chunks[queue], len(_serving(workers, queue))) for queue in sorted(chunks)],
        workers=[_working(worker, held, seen, judges) for worker in workers],
    )


def waiting_by_queue() -> Counter[str]:
    """Count the chunks that wait in each queue."""
    waiting = Chunk.objects.filter(status=Chunk.Status.PENDING, run__status__in=ACTIVE_STATUSES)
    numbers = dict(waiting.order_by().values_list("run__judge").annotate(Count("pk")))
    queues = Counter({DEFAULT: 0, GPU: 0})
    for judge in Judge.objects.filter(pk__in=numbers):
        queues[queue_of(judge)] += numbers[judge.pk]
    return queues


def _serving(workers: Iterable[Worker], queue: str) -> list[Worker]:
    return [one for one in workers if queue in one.queues.split(",")]


def _working(worker: Worker, held: dict[int, int], seen: Collection[int], judges: Iterable[Judge]) -> WorkingWorker:
    runs = sorted({held[chunk] for chunk in worker.chunks if chunk in held})
    named = [run for run in runs if run in seen]
    return WorkingWorker(
        name=worker.name,
        queues=worker.queues.split(","),
        judges=[judge.name for judge in judges if worker.model and judge.model == worker.model],
        runs=named,
        others=len(runs) - len(named),
        per_second=worker.per_second,
        memory=worker.memory,
        gpus=[GraphicsCard(**card) for card in worker.gpus],
        seen=(worker.now - worker.seen_at).total_seconds(),  # type: ignore[attr-defined]
    )


def _waiting_runs(workers: Iterable[Worker], held: dict[int, int]) -> list[WaitingRun]:
    """Return the runs whose chunks wait while no worker judges one of them. An endpoint's batch keeps a run moving."""
    pending = Count("chunks", filter=Q(chunks__status=Chunk.Status.PENDING))
    runs = Run.objects.active().filter(queued_at__isnull=False, in_batches=False).exclude(pk__in=set(held.values()))
    rows = runs.select_related("judge", "dataset").annotate(pending=pending, now=Now()).filter(pending__gt=0)
    working = Judge.objects.filter(runs__in=set(held.values())).distinct()
    busy = set(map(queue_of, working))
    busy |= set(chain(*(one.queues.split(",") for one in workers if any(chunk in held for chunk in one.chunks))))
    return [_waiting(run, len(_serving(workers, queue_of(run.judge))), busy) for run in rows]


def _waiting(run: Run, workers: int, busy: Collection[str]) -> WaitingRun:
    """workers: number of those that serve its queue."""
    queue, since = queue_of(run.judge), run.now - run.queued_at  # type: ignore[attr-defined]
    installation = read_installation(settings.DATA_DIR) if needs_local_packages(run.judge) else None
    is_stuck, reason = False, "It is queued."
    if pause := pause_of(run.judge, run.owner_id):
        reason = pause
    elif installation and installation.is_running:
        reason = "Local models are being installed."
    elif not workers:
        is_stuck = True
        reason = f"No worker serves the queue {queue}. Start one: evenhand worker --queues {queue}"
    elif queue in busy:
        reason = "All workers are busy. It comes next."
    elif since > STALE_AFTER:
        is_stuck = True
        reason = "Workers are idle, and none takes it. Start one again, and read its log."
    seconds, chunks = since.total_seconds(), run.pending  # type: ignore[attr-defined]
    return WaitingRun(run.pk, run.dataset.name, run.judge.name, queue, chunks, seconds, is_stuck, reason)


def _answer(waiting: list[WaitingRun], workers: int) -> str:
    stuck = [one for one in waiting if one.is_stuck]
    if stuck:
        minutes = int(max(one.seconds for one in stuck) / 60)
        longest = f" for {counted(minutes, 'minute')}" if minutes else ""
        return f"Yes: {counted(len(stuck), 'run')}. No worker took {'it' if len(stuck) == 1 else 'them'}{longest}."
    if waiting:
        return f"No. {counted(len(waiting), 'run')} will come after others."
    return "No. Nothing waits." if workers else "No. Nothing waits, and no worker runs."
