"""Celery tasks, and the queues they go to. Tasks take ids and return nothing: results are rows."""

import logging
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from threading import Event, Timer

from celery import shared_task
from celery.signals import worker_ready, worker_shutdown, worker_shutting_down
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from kombu.exceptions import OperationalError

from evalsite.celery import app
from evenhand.engine import load_engine
from evenhand.engine.interruption import interrupt_engines
from evenhand.refusals import Refused
from judging.models import ACTIVE_STATUSES, Chunk, Judge, Run, Worker
from judging.services.execution import lost_work
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.execution.claimed_chunk import RunStopped
from judging.services.execution.endpoint_batches import cancel_left_batches
from judging.services.execution.worker_reports import REPORT_SECONDS, own_name, report_answers, report_worker
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.judges.package_installation import needs_local_packages, read_installation
from judging.services.judges.packaged_judges import PACKAGED, install_for_page, note_progress
from judging.services.runs.run_lifecycle import tell_of_end
from judging.services.trimming import trim
from judging.sweeper import Sweeper

logger = logging.getLogger(__name__)

DEFAULT, GPU = "default", "gpu"

LAST = 9
"""The lowest priority of a message; the highest is 0."""
GIVES_WAY_SECONDS = 30.0
LAST_SLICE_SECONDS = 20.0
MODEL_TURN_SECONDS = 300.0

holder = EngineHolder(load_engine, products=settings.MATRIX_PRODUCTS, idle_seconds=60 * settings.ENGINE_IDLE_MINUTES)
ending = Event()


@shared_task(name="judging.judge_chunk")
def judge_chunk(chunk_id: int) -> None:
    """Judge the unanswered items of a chunk. A duplicate message finds it held or done, and does nothing.

    After half a minute, a run that has not begun goes first: the rest of the chunk is sent again. A chunk of the judge
    that is loaded may go before the one of the message, which is sent again.
    """
    if ending.is_set() or waits_for_packages(Judge.objects.filter(runs__chunks=chunk_id)):
        return  # the sweeper sends the work again
    if preferred := model_turn.preferred(chunk_id):
        send_work(lost_work.with_judge(Chunk.objects.filter(pk=chunk_id)))
        chunk_id = preferred
    duration, turn = timedelta(seconds=settings.LEASE_SECONDS), Turn(chunk_id, time.monotonic() + GIVES_WAY_SECONDS)
    with holder.working():
        model_turn.begin(chunk_id)
        execute_chunk(
            chunk_id,
            load=holder.load,
            pace=holder.pace,
            lease_duration=duration,
            poll_seconds=settings.BATCH_POLL_SECONDS,
            on_slice=turn.may_end,
        )
    if turn.gave_way:
        send_work(lost_work.with_judge(Chunk.objects.filter(pk=chunk_id)), behind=2**LAST)
    tell_of_end(settings.RUN_WEBHOOK, chunks=chunk_id)


@dataclass
class ModelTurn:
    """The judge whose weights this worker holds, so that runs of two judges do not load them for each chunk in turn.

    judge_id: 0 for none. since: by time.monotonic(), when it came.
    """

    judge_id: int = 0
    since: float = 0.0

    def begin(self, chunk_id: int) -> None:
        """Note the judge of the next chunk."""
        judge = Judge.objects.filter(runs__chunks=chunk_id).first()
        judge_id = judge.pk if judge and judge.has_weights else 0
        if judge_id != self.judge_id:
            self.judge_id, self.since = judge_id, time.monotonic()

    def preferred(self, chunk_id: int) -> int | None:
        """Return a chunk of this judge to judge before the one that was sent; None if that one goes first.

        A run that has not begun goes first. After five minutes so does a judge that no other worker serves.
        """
        chunk = Chunk.objects.select_related("run").filter(pk=chunk_id, status=Chunk.Status.PENDING).first()
        if (
            not (holder.model and chunk and chunk.run.status == Run.Status.RUNNING)
            or chunk.run.judge_id == self.judge_id
        ):
            return None
        is_over = time.monotonic() - self.since > MODEL_TURN_SECONDS
        if is_over and not Chunk.objects.held().filter(run__judge=chunk.run.judge_id).exists():
            return None
        waiting = Chunk.objects.filter(status=Chunk.Status.PENDING, run__queued_at__isnull=False)
        own = waiting.filter(run__judge=self.judge_id, run__status__in=ACTIVE_STATUSES)
        return own.order_by("run", "position").values_list("pk", flat=True).first()


model_turn = ModelTurn()


def waits_for_packages(judges: QuerySet[Judge]) -> bool:
    """True while packages of one of these judges are being installed."""
    installation = read_installation(settings.DATA_DIR)
    return installation is not None and installation.is_running and any(map(needs_local_packages, judges))


@dataclass
class Turn:
    """The time that a chunk has on this worker. until: by time.monotonic(), when a run that waits may go first."""

    chunk_id: int
    until: float
    gave_way: bool = False

    def may_end(self) -> None:
        """Raise RunStopped if this worker is shutting down, or if it is another run's turn."""
        if ending.is_set():
            raise RunStopped("this worker is shutting down")
        if time.monotonic() > self.until and waits_to_begin(Chunk.objects.get(pk=self.chunk_id).run.judge):
            self.gave_way = True
            raise RunStopped("a run that waits goes first")


def waits_to_begin(judge: Judge) -> bool:
    """Return True if a run that no worker has begun waits in the queue of a judge."""
    waiting = Judge.objects.filter(runs__status=Run.Status.PENDING, runs__queued_at__isnull=False)
    return any(queue_of(one) == queue_of(judge) for one in waiting.distinct())


@shared_task(name="judging.install_judge")
def install_offered_judge(place: int) -> None:
    """Install a packaged judge. place: in PACKAGED."""
    install_for_page(list(PACKAGED.values())[place], data=settings.DATA_DIR)


def start_installing(name: str) -> None:
    """Ask a worker to install a packaged judge. Raises Refused if the message broker cannot be reached."""
    try:
        install_offered_judge.apply_async([list(PACKAGED).index(name)], queue=DEFAULT)
    except OperationalError:
        raise Refused("the message broker cannot be reached; try again later") from None
    note_progress(PACKAGED[name])


@shared_task(name="judging.sweep")
def sweep() -> None:
    """Send lost work again: runs of dead commands, chunks of dead workers, and chunks whose messages were lost."""
    for run_id in lost_work.finish_complete_runs():
        tell_of_end(settings.RUN_WEBHOOK, pk=run_id)
    silence = timedelta(seconds=max(settings.LEASE_SECONDS, 2 * settings.BATCH_POLL_SECONDS))
    for run in lost_work.runs_of_dead_commands(silence=silence):
        send_work(lost_work.queue_run(run))
    send_work(lost_work.free_chunks_of_dead_workers())
    waiting = defaultdict(list)
    for chunk in lost_work.unclaimed_chunks():
        waiting[queue_of(chunk.run.judge)].append(chunk)
    for queue, chunks in waiting.items():
        if queue_length(queue) == 0:
            send_work(chunks)


def start_run(run_id: int) -> None:
    """Queue a run for the workers after the transaction: one message per unfinished chunk."""
    transaction.on_commit(lambda: send_run(run_id))


def send_run(run_id: int) -> None:
    run = Run.objects.select_related("judge").get(pk=run_id)
    chunks = lost_work.queue_run(run)
    send_work(chunks, behind=lost_work.waiting_runs(run.owner_id).exclude(pk=run_id).count())


def send_work(chunks: Iterable[Chunk], *, behind: int = 0) -> None:
    """Send one message per chunk. If the broker is unreachable, the sweeper sends them later.

    The first chunks of each run go before the later ones of others: priority falls by one as their number doubles.
    behind: runs of the same person that go first.
    """
    sent: Counter[int] = Counter()
    try:
        for chunk in chunks:
            place = behind + sent[chunk.run_id]
            sent[chunk.run_id] += 1
            priority = min(place.bit_length(), LAST)
            judge_chunk.apply_async([chunk.pk], queue=queue_of(chunk.run.judge), priority=priority)
    except OperationalError as error:
        logger.warning("the message broker cannot be reached, so work waits: %s", error)


def has_busy_worker(judge: Judge) -> bool:
    """Return True if a worker of the judge's queue is working."""
    busy = Judge.objects.filter(runs__chunks__in=Chunk.objects.held().filter(run__queued_at__isnull=False))
    return any(queue_of(one) == queue_of(judge) for one in busy.distinct())


def reaches_broker() -> bool:
    """Return True if the message broker answers now."""
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
    except OperationalError:
        return False
    return True


def queue_of(judge: Judge) -> str:
    """Return the queue whose workers can run a judge. docs/reference/settings.md describes the device "auto"."""
    if not judge.runs_here or judge.device == "cpu":
        return DEFAULT
    return settings.JUDGE_QUEUE if judge.device == "auto" else GPU


def queue_length(queue: str) -> int:
    """Count the messages that wait in a queue, without those that a worker has received."""
    with app.connection_for_read() as connection:
        channel = connection.default_channel
        try:
            return int(channel.queue_declare(queue, passive=True).message_count)
        except connection.channel_errors:
            return 0  # the queue does not exist: nothing was sent yet, or Redis dropped the empty list


@worker_ready.connect
def start_sweeper(**kwargs: object) -> None:
    """Start what each worker does periodically: search for lost work, cancel batches, report itself, remove the old."""
    kept = timedelta(days=settings.ACTIVITY_DAYS)
    folders = (settings.TEMPORARY_DIR, settings.MEDIA_ROOT)
    trim_old = partial(trim, *folders, activity_kept=kept, reasoning_days=settings.REASONING_DAYS)
    queues = ",".join(sorted(app.amqp.queues.consume_from))
    Sweeper(sweep, seconds=settings.SWEEP_SECONDS).start()
    Sweeper(cancel_left_batches, seconds=settings.SWEEP_SECONDS).start()
    Sweeper(lambda: report_worker(queues, holder.model), seconds=REPORT_SECONDS).start()
    Sweeper(trim_old, seconds=settings.TRIM_SECONDS).start()


@worker_shutting_down.connect
def stop_after_this_slice(**kwargs: object) -> None:
    """End after the slice. One that takes longer, as at an endpoint that hangs, is ended, and asked again later."""
    ending.set()
    alarm = Timer(LAST_SLICE_SECONDS, interrupt_engines)
    alarm.daemon = True
    alarm.start()


@worker_shutdown.connect
def forget_this_worker(**kwargs: object) -> None:
    """Remove the report of a worker that ends. One that is killed is silent, and counts as gone after two minutes."""
    report_answers()
    Worker.objects.filter(name=own_name()).delete()
