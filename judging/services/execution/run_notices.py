"""Tells another program that a run has ended."""

import logging

from django.core.cache import cache

from judging.models import Run

TOLD = (Run.Status.DONE, Run.Status.FAILED)
REMEMBERED = 24 * 3600  # seconds, in which the messages of a run's other chunks may still come
POST_SECONDS = 10.0

logger = logging.getLogger(__name__)


def tell_of_end(chunk_id: int, *, webhook: str) -> None:
    """Post once that the run of a chunk is done or failed. What cannot be posted is logged, without the address."""
    run = Run.objects.select_related("dataset", "judge").filter(chunks=chunk_id, status__in=TOLD).first()
    if run is None:
        return
    ended = run.finished_at.timestamp() if run.finished_at else 0
    if not cache.add(f"told:{run.pk}:{ended}", True, REMEMBERED):
        return
    import httpx  # noqa: PLC0415 - web processes import the tasks, and never post

    told = {"run": run.pk, "status": run.status, "error": run.error}
    try:
        httpx.post(
            webhook, json=told | {"dataset": run.dataset.name, "judge": run.judge.name}, timeout=POST_SECONDS
        ).raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        logger.warning("RUN_WEBHOOK did not take that run %s is %s: %s", run.pk, run.status, type(error).__name__)
