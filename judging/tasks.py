"""What workers do. Ids in, nothing out: the rows are the results."""

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
from django.db.models import Q
from kombu.exceptions import OperationalError

from evalsite.celery import app
from judging.engine import load_engine
from judging.models import Chunk, ForecastRequest, Judge, Run
from judging.services.execution import lost_chunks
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.execution.claimed_chunk import RunStopped
from judging.services.forecasts.forecast_requests import execute_forecast, waiting_forecasts
from judging.services.judges.loaded_engine import EngineHolder
from judging.sweeper import Sweeper

logger = logging.getLogger(__name__)

DEFAULT, GPU = "default", "gpu"

holder = EngineHolder(load_engine, products=settings.MATRIX_PRODUCTS, idle_seconds=60 * settings.ENGINE_IDLE_MINUTES)
ending = Event()


@shared_task(name="judging.judge_chunk")
def judge_chunk(chunk_id: int) -> None:
    """Judge what a chunk still lacks. A message that comes twice finds it held or done, and does nothing."""
    make_forecasts_first(chunk_id)
    lease = timedelta(seconds=settings.LEASE_SECONDS)
    with holder.working():
        execute_chunk(chunk_id, load=holder.load, pace=holder.pace, lease=lease, on_slice=stop_if_ending)


@shared_task(name="judging.make_forecast")
def make_forecast(request_id: int) -> None:
    """Say what runs would cost. A message that comes twice finds it in hand or done, and does nothing."""
    with holder.working():
        execute_forecast(request_id, load=holder.load, on_step=stop_if_ending)


def make_forecasts_first(chunk_id: int) -> None:
    """The forecasts that wait behind the chunks of this queue: whoever asked looks at the page, a run takes hours."""
    if waiting := waiting_forecasts():
        queues = {queue_of(judge) for judge in Judge.objects.filter(runs__chunks=chunk_id)}
        for request in waiting:
            if queue_of(request.judge) in queues:
                make_forecast(request.pk)


def stop_if_ending() -> None:
    """Give the rest of the work back where this worker was told to end: the next one goes on with it."""
    if ending.is_set():
        raise RunStopped("this worker ends")


@shared_task(name="judging.sweep")
def sweep() -> None:
    """Send again what was lost: chunks of dead workers, and chunks whose messages no queue has."""
    lost_chunks.finish_runs()
    send(lost_chunks.free_abandoned())
    waiting = defaultdict(list)
    for chunk in lost_chunks.waiting_chunks():
        waiting[queue_of(chunk.run.judge)].append(chunk)
    for queue, chunks in waiting.items():
        if queue_length(queue) == 0:
            send(chunks)
    for request in waiting_forecasts():
        if queue_length(queue_of(request.judge)) == 0:
            send_forecast(request)


def start_run(run_id: int) -> None:
    """Hand a run to the workers, one message per unfinished chunk, once the transaction is through."""
    transaction.on_commit(lambda: send_run(run_id))


def send_run(run_id: int) -> None:
    run = Run.objects.select_related("judge").get(pk=run_id)
    send(lost_chunks.hand_to_workers(run))


def send(chunks: Iterable[Chunk]) -> None:
    """One message per chunk. Where the broker is away, the sweeper sends them later."""
    try:
        for chunk in chunks:
            judge_chunk.apply_async([chunk.pk], queue=queue_of(chunk.run.judge))
    except OperationalError as error:
        logger.warning("the message broker cannot be reached, so work waits: %s", error)


def start_forecast(request: ForecastRequest) -> None:
    """Hand a forecast to the workers once the transaction is through."""
    transaction.on_commit(lambda: send_forecast(request))


def send_forecast(request: ForecastRequest) -> None:
    """To the queue that the runs would go to. Where the broker is away, the sweeper sends it later."""
    try:
        make_forecast.apply_async([request.pk], queue=queue_of(request.judge))
    except OperationalError as error:
        logger.warning("the message broker cannot be reached, so a forecast waits: %s", error)


def is_worked_on(judge: Judge) -> bool:
    """Whether some worker of the queue that a judge's work goes to is at work."""
    chunks = Chunk.objects.held().filter(run__queued_at__isnull=False)
    busy = Judge.objects.filter(Q(runs__chunks__in=chunks) | Q(forecasts__in=ForecastRequest.objects.in_work()))
    return any(queue_of(one) == queue_of(judge) for one in busy.distinct())


def queue_of(judge: Judge) -> str:
    """The queue whose workers can run a judge; docs/settings.md says how a device "auto" is decided."""
    if not judge.runs_here or judge.device == "cpu":
        return DEFAULT
    return settings.JUDGE_QUEUE if judge.device == "auto" else GPU


def queue_length(queue: str) -> int:
    """Messages that wait in a queue; those in a worker's hands are not among them."""
    with app.connection_for_read() as connection:
        channel = connection.default_channel
        try:
            return int(channel.queue_declare(queue, passive=True).message_count)
        except connection.channel_errors:
            return 0  # the broker knows no such queue: nothing was ever sent, or Redis dropped the empty list


@worker_ready.connect
def start_sweeper(**kwargs: object) -> None:
    """Look for lost work when a worker starts, and now and then while it lives."""
    Sweeper(sweep, seconds=settings.SWEEP_SECONDS).start()


@worker_shutting_down.connect
def end_after_this_slice(**kwargs: object) -> None:
    ending.set()
