"""Celery tasks, and the queues they go to. Tasks take ids and return nothing: results are rows."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable
from datetime import timedelta
from threading import Event

from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from kombu.exceptions import OperationalError

from evalsite.celery import app
from evenhand.engine import load_engine
from judging.models import Chunk, EndpointBatch, ForecastRequest, Judge, Run
from judging.services.execution import dead_workers
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.execution.claimed_chunk import RunStopped
from judging.services.execution.endpoint_batches import cancel_run_batches
from judging.services.forecasts.forecast_requests import execute_forecast, waiting_forecasts
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.judges.local_models import needs_local_packages, read_installation
from judging.sweeper import Sweeper

logger = logging.getLogger(__name__)

DEFAULT, GPU = "default", "gpu"

holder = EngineHolder(load_engine, products=settings.MATRIX_PRODUCTS, idle_seconds=60 * settings.ENGINE_IDLE_MINUTES)
ending = Event()


@shared_task(name="judging.judge_chunk")
def judge_chunk(chunk_id: int) -> None:
    """Judge the unanswered items of a chunk. A duplicate message finds it held or done, and does nothing."""
    if waits_for_packages(Judge.objects.filter(runs__chunks=chunk_id)):
        return
    make_forecasts_first(chunk_id)
    duration = timedelta(seconds=settings.LEASE_SECONDS)
    with holder.working():
        execute_chunk(
            chunk_id,
            load=holder.load,
            pace=holder.pace,
            lease_duration=duration,
            poll_seconds=settings.BATCH_POLL_SECONDS,
            on_slice=stop_if_ending,
        )


@shared_task(name="judging.make_forecast")
def make_forecast(request_id: int) -> None:
    """Forecast runs. A duplicate message finds the forecast claimed or done, and does nothing."""
    if waits_for_packages(Judge.objects.filter(forecasts=request_id)):
        return
    with holder.working():
        execute_forecast(request_id, load=holder.load, on_step=stop_if_ending)


def waits_for_packages(judges: QuerySet[Judge]) -> bool:
    """True while packages of one of these judges are being installed. The sweeper sends the work again."""
    installation = read_installation(settings.DATA_DIR)
    return installation is not None and installation.is_running and any(map(needs_local_packages, judges))


def make_forecasts_first(chunk_id: int) -> None:
    """Make waiting forecasts of this chunk's queue first: their user waits at the page, a run takes hours."""
    if waiting := waiting_forecasts():
        queues = {queue_of(judge) for judge in Judge.objects.filter(runs__chunks=chunk_id)}
        for request in waiting:
            if queue_of(request.judge) in queues:
                make_forecast(request.pk)


def stop_if_ending() -> None:
    """Raise RunStopped if this worker is shutting down; another worker continues the chunk."""
    if ending.is_set():
        raise RunStopped("this worker is shutting down")


@shared_task(name="judging.cancel_batches")
def cancel_batches(run_id: int) -> None:
    """Cancel the batches of a stopped run at its endpoint, from a process that has the key."""
    cancel_run_batches(Run.objects.select_related("judge").get(pk=run_id))


@shared_task(name="judging.sweep")
def sweep() -> None:
    """Send lost work again: chunks of dead workers, and chunks and forecasts whose messages were lost."""
    dead_workers.finish_complete_runs()
    send_work(dead_workers.free_chunks_of_dead_workers())
    waiting = defaultdict(list)
    for chunk in dead_workers.unclaimed_chunks():
        waiting[queue_of(chunk.run.judge)].append(chunk)
    for queue, chunks in waiting.items():
        if queue_length(queue) == 0:
            send_work(chunks)
    for request in waiting_forecasts():
        if queue_length(queue_of(request.judge)) == 0:
            send_work([request])


def start_run(run_id: int) -> None:
    """Queue a run for the workers after the transaction: one message per unfinished chunk."""
    transaction.on_commit(lambda: send_run(run_id))


def send_run(run_id: int) -> None:
    run = Run.objects.select_related("judge").get(pk=run_id)
    send_work(dead_workers.queue_run(run))


def start_cancelling(run_id: int) -> None:
    """Queue the cancelling of a run's batches after the transaction; nothing for a run without batches."""
    if EndpointBatch.objects.unfinished().filter(run=run_id).exists():
        transaction.on_commit(lambda: _send_cancelling(run_id))


def _send_cancelling(run_id: int) -> None:
    try:
        cancel_batches.apply_async([run_id], queue=DEFAULT)
    except OperationalError as error:
        logger.warning("the message broker cannot be reached; batches of run %s are not cancelled: %s", run_id, error)


def start_forecast(request: ForecastRequest) -> None:
    """Queue a forecast for the workers after the transaction."""
    transaction.on_commit(lambda: send_work([request]))


def send_work(work: Iterable[Chunk | ForecastRequest]) -> None:
    """Send one message per chunk or forecast. If the broker is unreachable, the sweeper sends them later."""
    try:
        for one in work:
            task, judge = (judge_chunk, one.run.judge) if isinstance(one, Chunk) else (make_forecast, one.judge)
            task.apply_async([one.pk], queue=queue_of(judge))
    except OperationalError as error:
        logger.warning("the message broker cannot be reached, so work waits: %s", error)


def has_busy_worker(judge: Judge) -> bool:
    """Return True if a worker of the judge's queue is working."""
    chunks = Chunk.objects.held().filter(run__queued_at__isnull=False)
    busy = Judge.objects.filter(Q(runs__chunks__in=chunks) | Q(forecasts__in=ForecastRequest.objects.in_progress()))
    return any(queue_of(one) == queue_of(judge) for one in busy.distinct())


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
    """Start the search for lost work in each worker."""
    Sweeper(sweep, seconds=settings.SWEEP_SECONDS).start()


@worker_shutting_down.connect
def stop_after_this_slice(**kwargs: object) -> None:
    ending.set()
