"""Forecasts made by workers: requesting one, making it, and storing its rows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.utils import timezone

from evenhand.engine import EngineError
from evenhand.refusals import Refused
from evenhand.units import counted
from judging.models import Attribute, Exclusion, ForecastRequest, Prompt, Study, User
from judging.models.forecasts import LONGEST_WORK, WITHOUT_LIMIT
from judging.models.runs import sha256_of
from judging.services.execution.bulk_insert import storable
from judging.services.execution.chunk_execution import LoadEngine
from judging.services.execution.claimed_chunk import RunStopped
from judging.services.execution.dead_workers import MESSAGE_GRACE
from judging.services.forecasts.dry_run import dry_run
from judging.services.forecasts.time_and_cost import ForecastRow
from judging.services.plans.generation_settings import generation_in
from judging.services.plans.run_spec import criteria_prompt_in
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.run_request import RunRequest, RunSizes, checked_specs

logger = logging.getLogger(__name__)

PILOT = 32
PILOT_SECONDS = 60.0
FORECASTS_PER_USER = 500  # those of one plan of a study, with one judge and dataset each, fit


def request_forecast(
    run_requests: Sequence[RunRequest], *, user: User, pilot: int = PILOT, study: Study | None = None
) -> ForecastRequest:
    """Store a forecast for the workers, or return the user's unfinished one for the same runs. Raises Refused.

    Each user keeps 500 forecasts besides those of studies, and of the same runs only the latest.
    pilot: questions per run. study: the study whose runs they are; None for other runs.
    """
    sizes = RunSizes()
    checked_specs(run_requests, sizes=sizes)
    questions = sum(sizes.size_of(one).comparisons for one in run_requests)
    last = find_forecast(run_requests, user=user, pilot=pilot, study=study)
    if last is not None and not last.is_over:
        return last
    with transaction.atomic():
        own = ForecastRequest.objects.filter(requested_by=user, study=study)
        new = own.create(
            dataset=run_requests[0].dataset,
            judge=run_requests[0].judge,
            requested_by=user,
            study=study,
            digest=forecast_digest(run_requests, pilot=pilot),
            requested=_to_json(run_requests) | {"questions": questions},
            pilot=pilot,
        )
        own.filter(digest=new.digest, judge=new.judge).exclude(pk=new.pk).delete()
        if study is None:
            own.exclude(pk__in=list(own.values_list("pk", flat=True)[:FORECASTS_PER_USER])).delete()
    return new


def find_forecast(
    run_requests: Sequence[RunRequest], *, user: User, pilot: int = PILOT, study: Study | None = None
) -> ForecastRequest | None:
    """Find the user's latest forecast of exactly these runs, of a study or of none."""
    # Two judges of the same model have the same digest, but may have other prices
    same = {"judge": run_requests[0].judge, "digest": forecast_digest(run_requests, pilot=pilot)}
    return ForecastRequest.objects.filter(requested_by=user, study=study, **same).first()


def forecast_digest(run_requests: Sequence[RunRequest], *, pilot: int) -> str:
    """Hash the specs of the runs and the size of the pilot."""
    batches = {"in_batches": True} if any(one.in_batches for one in run_requests) else {}
    return sha256_of({"specs": [sha256_of(one.spec()) for one in run_requests], "pilot": pilot, **batches})


def waiting_forecasts() -> list[ForecastRequest]:
    """Return forecasts that no worker has claimed after MESSAGE_GRACE."""
    waiting = ForecastRequest.objects.waiting().filter(requested_at__lt=timezone.now() - MESSAGE_GRACE)
    return list(waiting.select_related("judge").order_by("pk"))


def execute_forecast(request_id: int, *, load: LoadEngine, on_step: Callable[[], None] = lambda: None) -> None:
    """Make a forecast that no worker has claimed, and store its rows.

    After ten minutes it fails with the rows so far.

    on_step: called repeatedly; if it raises RunStopped, the forecast returns to the queue.
    """
    if not ForecastRequest.objects.claim(request_id):
        return
    request = ForecastRequest.objects.select_related("dataset", "judge").get(pk=request_id)
    progress = _ForecastProgress(request, on_step)
    try:
        rows = dry_run(
            _run_requests(request),
            pilot=request.pilot,
            load=load,
            pilot_seconds=PILOT_SECONDS,
            is_new=True,
            on_step=progress.record,
            go_on=progress.go_on,
        )
    except RunStopped:
        ForecastRequest.objects.release(request_id)
    except Exception as error:
        known = isinstance(error, EngineError | Refused)
        reason = storable(str(error) if known else f"it broke: {type(error).__name__}: {error}")
        logger.error("forecast %s failed: %s", request_id, reason, exc_info=None if known else error)
        progress.store(state=ForecastRequest.State.FAILED, rows=progress.rows, error=reason)
    else:
        missing = _describe_missing(request, rows)
        state = ForecastRequest.State.FAILED if missing else ForecastRequest.State.DONE
        progress.store(state=state, rows=rows, error=missing)


def _describe_missing(request: ForecastRequest, rows: Sequence[ForecastRow]) -> str:
    """Describe the parts that the time limit left out; empty if the forecast is complete."""
    partial = any(row["tokens"].get("is_partial") for row in rows)
    tried = sum(row["pilot"] is not None for row in rows)
    wanted = request.runs if request.pilot else 0
    if len(rows) == request.runs and tried == wanted and not partial:
        return ""
    done = f"{len(rows)} of {counted(request.runs, 'run')} counted"
    pilots = f" and {tried} tried" if wanted else ""
    last = ", the last of them in part" if partial else ""
    return f"it took longer than ten minutes: {done}{last}{pilots}; {WITHOUT_LIMIT}"


class _ForecastProgress:
    """Stores the progress of a forecast. rows: the rows known so far."""

    def __init__(self, request: ForecastRequest, on_step: Callable[[], None]) -> None:
        self._request = request
        self._on_step = on_step
        self._ends_at = timezone.now() + LONGEST_WORK
        self._counted = 0
        self.rows: list[ForecastRow] = []

    def record(self, rows: Sequence[ForecastRow]) -> None:
        """Store one step. Raises RunStopped if the forecast was deleted or this worker ends."""
        is_first = not self.rows
        self.rows = list(rows)
        if not rows:
            self._counted += 1
        tried = sum(row["pilot"] is not None for row in rows)
        new = {"rows": self.rows} if rows and is_first else {}
        if not self.store(counted=self._counted, tried=tried, **new):
            raise RunStopped("the forecast was deleted")
        self._on_step()

    def go_on(self) -> bool:
        """Return False after ten minutes. Raises RunStopped if this worker ends."""
        self._on_step()
        return timezone.now() <= self._ends_at

    def store(self, **values: object) -> bool:
        """Update the forecast; False if it was deleted or is no longer running."""
        running = ForecastRequest.objects.filter(pk=self._request.pk, state=ForecastRequest.State.RUNNING)
        return running.update(**values) == 1


def _to_json(run_requests: Sequence[RunRequest]) -> dict[str, Any]:
    """Convert the requests, all of one judge, to JSON with ids. `_run_requests` reads it."""
    first = run_requests[0]
    return {
        "runs": [[one.attribute.pk, one.prompt.pk] for one in run_requests],
        "selection": asdict(first.selection),
        **first.generation.spec(),
        **({"metrics": asdict(first.criteria)} if first.criteria else {}),
        **({"in_batches": True} if first.in_batches else {}),
    }


def _selection_in(requested: Mapping[str, Any]) -> SelectionSettings:
    settings = requested["selection"]
    exclusion = Exclusion.of(**settings["exclusion"])
    return SelectionSettings(**{**settings, "exclusion": exclusion})


def _run_requests(request: ForecastRequest) -> list[RunRequest]:
    """Read the run requests of a forecast. Raises Refused if one was deleted or would have another spec now."""
    requested = request.requested
    attributes = Attribute.objects.in_bulk({attribute for attribute, _ in requested["runs"]})
    prompts = Prompt.objects.in_bulk({prompt for _, prompt in requested["runs"]})
    changed = Refused("the runs have changed since the forecast was requested; request it again")
    try:
        run_requests = [
            RunRequest(
                request.dataset,
                attributes[attribute],
                request.judge,
                prompts[prompt],
                _selection_in(requested),
                generation_in(requested),
                criteria_prompt_in(requested),
                requested.get("in_batches", False),
            )
            for attribute, prompt in requested["runs"]
        ]
    except KeyError:
        raise changed from None
    if forecast_digest(run_requests, pilot=request.pilot) != request.digest:
        raise changed
    return run_requests
