"""Batches of a run: the ledger of those that were started, and cancelling them at the endpoint."""

import logging
from datetime import timedelta

from django.db.models.functions import Now

from evenhand.engine import BatchState, EngineError, cancel_endpoint_batches
from judging.models import EndpointBatch, Run
from judging.services.judges.endpoint_limits import count_use
from judging.services.judges.judge_setup import engine_settings
from judging.services.judges.loaded_engine import Pace

logger = logging.getLogger(__name__)


class RunLedger:
    """The batches of one run, in the database. poll_seconds: shortest time between two questions about a batch."""

    def __init__(self, run: Run, *, poll_seconds: float) -> None:
        self._run = run
        self._wait = timedelta(seconds=poll_seconds)

    def salt(self) -> str:
        return f"{self._run.pk}/"

    def knows(self, batch_id: str) -> bool:
        return self._run.batches.filter(batch_id=batch_id).exists()

    def find(self, key: str) -> str:
        current = self._run.batches.filter(key=key, is_superseded=False)
        return current.values_list("batch_id", flat=True).first() or ""

    def add(self, key: str, batch_id: str, *, requests: int) -> None:
        EndpointBatch.objects.create(run=self._run, key=key, batch_id=batch_id, requests=requests)
        count_use(self._run, requests=requests)

    def is_due(self, key: str) -> bool:
        recently = self._run.batches.filter(key=key, is_superseded=False, polled_at__gt=Now() - self._wait)
        return not recently.unfinished().exists()

    def update(self, key: str, state: BatchState) -> None:
        self._run.batches.unfinished().filter(key=key, is_superseded=False).update(
            status=state.status, completed=state.completed, failed=state.failed, polled_at=Now()
        )

    def forget(self, key: str) -> None:
        self._run.batches.filter(key=key).supersede()


class WholeChunkPace(Pace):
    """Slices of a whole chunk, so that each chunk is one batch."""

    def __init__(self) -> None:
        super().__init__(first=10**9)

    def record(self, questions: int, seconds: float) -> None:
        """Keep the size."""


def cancel_left_batches() -> None:
    """Cancel at their endpoints the batches of cancelled runs, which would still be paid. The rows are the truth."""
    cancelled = Run.objects.filter(status=Run.Status.CANCELLED, batches__in=EndpointBatch.objects.paid_if_left())
    for run in cancelled.select_related("judge").distinct():
        cancel_run_batches(run)


def cancel_run_batches(run: Run) -> None:
    """Cancel the unfinished batches of a run at the endpoint. A failure is logged: the run has stopped already."""
    batches = {batch.batch_id: batch for batch in run.batches.unfinished()}
    if not batches:
        return
    try:
        states = cancel_endpoint_batches(engine_settings(run.judge), list(batches))
    except EngineError as failure:
        logger.warning("the batches of run %s are not cancelled at the endpoint: %s", run.pk, failure)
        return
    for batch_id, state in states.items():
        EndpointBatch.objects.filter(pk=batches[batch_id].pk).update(status=state.status)
