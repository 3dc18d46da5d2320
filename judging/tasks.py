"""What workers do. Ids in, nothing out: the rows are the results."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable
from datetime import timedelta
from threading import Event

from celery import current_app, shared_task
from celery.signals import worker_ready, worker_shutting_down
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from judging.engine import load_engine
from judging.models import Chunk, Judge, Run
from judging.services import sweeping
from judging.services.engines import EngineHolder
from judging.services.execution import execute_chunk
from judging.services.work import RunStopped
from judging.sweeper import Sweeper

logger = logging.getLogger(__name__)

DEFAULT, GPU = "default", "gpu"

holder = EngineHolder(load_engine, products=settings.MATRIX_PRODUCTS, idle_seconds=60 * settings.ENGINE_IDLE_MINUTES)
ending = Event()


@shared_task(name="judging.judge_chunk")
def judge_chunk(chunk_id: int) -> None:
    """Judge what a chunk still lacks. A message that comes twice finds it held or done, and does nothing."""
    lease = timedelta(seconds=settings.LEASE_SECONDS)
    with holder.working():
        execute_chunk(chunk_id, load=holder.load, pace=holder.pace, lease=lease, on_slice=stop_if_ending)


def stop_if_ending() -> None:
    """Give the rest of a chunk back where this worker was told to end: the next one goes on with it."""
    if ending.is_set():
        raise RunStopped("this worker ends")


@shared_task(name="judging.sweep")
def sweep() -> None:
    """Send again what was lost: chunks of dead workers, and chunks whose messages no queue has."""
    sweeping.finish_runs()
    send(sweeping.free_abandoned())
    waiting = defaultdict(list)
    for chunk in sweeping.waiting_chunks():
        waiting[queue_of(chunk.run.judge)].append(chunk)
    for queue, chunks in waiting.items():
        if queue_length(queue) == 0:
            send(chunks)


def start_run(run_id: int) -> None:
    """Hand a run to the workers, one message per unfinished chunk, once the transaction is through."""
    transaction.on_commit(lambda: send_run(run_id))


def send_run(run_id: int) -> None:
    run = Run.objects.select_related("judge").get(pk=run_id)
    send(sweeping.hand_to_workers(run))


def send(chunks: Iterable[Chunk]) -> None:
    """One message per chunk. Where the broker is away, the sweeper sends them later."""
    try:
        for chunk in chunks:
            judge_chunk.apply_async([chunk.pk], queue=queue_of(chunk.run.judge))
    except OperationalError as error:
        logger.warning("the message broker cannot be reached, so work waits: %s", error)


def queue_of(judge: Judge) -> str:
    """The queue whose workers can run a judge; docs/settings.md says how a device "auto" is decided."""
    if not judge.runs_here or judge.device == "cpu":
        return DEFAULT
    return settings.JUDGE_QUEUE if judge.device == "auto" else GPU


def queue_length(queue: str) -> int:
    """Messages that wait in a queue; those in a worker's hands are not among them."""
    with current_app.connection_for_read() as connection:
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
