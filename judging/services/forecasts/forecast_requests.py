"""Forecasts that workers make: asking for one, and making it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial

from django.db import transaction
from django.utils import timezone

from judging.engine import EngineError
from judging.exceptions import Refusals, Refused
from judging.models import Attribute, ForecastRequest, Prompt, User
from judging.models.forecasts import LONGEST_WORK, WITHOUT_LIMIT
from judging.models.runs import sha256_of
from judging.services.execution.claimed_chunk import RunStopped
from judging.services.execution.lost_chunks import GRACE
from judging.services.execution.slices import storable
from judging.services.forecasts.dry_run import Load, dry_run
from judging.services.forecasts.forecast_json import Row
from judging.services.plans.generation_settings import writing_in
from judging.services.plans.pair_selection import Choice
from judging.services.plans.run_spec import metrics_in, spec_hash
from judging.services.runs.run_lifecycle import Asked, checked_spec

logger = logging.getLogger(__name__)

PILOT = 32
PILOT_SECONDS = 60.0
KEPT = 20


def request_forecast(asked: Sequence[Asked], *, user: User, pilot: int = PILOT) -> ForecastRequest:
    """Store what a worker is to forecast; where the user is waiting for the same, that. Raises Refused.

    The user's last twenty are kept, of what is asked again only the latest.
    """
    refusals = Refusals()
    for one in asked:
        refusals.of(partial(checked_spec, one))
    refusals.raise_if_any()
    last = find_forecast(asked, user=user, pilot=pilot)
    if last is not None and not last.is_over:
        return last
    with transaction.atomic():
        own = ForecastRequest.objects.filter(asked_by=user)
        new = own.create(
            dataset=asked[0].dataset,
            judge=asked[0].judge,
            asked_by=user,
            digest=forecast_digest(asked, pilot=pilot),
            asked=_told(asked),
            pilot=pilot,
        )
        own.filter(digest=new.digest).exclude(pk=new.pk).delete()
        own.exclude(pk__in=list(own.values_list("pk", flat=True)[:KEPT])).delete()
    return new


def find_forecast(asked: Sequence[Asked], *, user: User, pilot: int = PILOT) -> ForecastRequest | None:
    """The latest that this user asked of exactly these runs."""
    digest = forecast_digest(asked, pilot=pilot)
    return ForecastRequest.objects.filter(asked_by=user, digest=digest).first()


def forecast_digest(asked: Sequence[Asked], *, pilot: int) -> str:
    return sha256_of({"specs": [spec_hash(one.spec()) for one in asked], "pilot": pilot})


def waiting_forecasts() -> list[ForecastRequest]:
    """Those that workers were told of a while ago and that nobody took up."""
    waiting = ForecastRequest.objects.waiting().filter(requested_at__lt=timezone.now() - GRACE)
    return list(waiting.select_related("judge").order_by("pk"))


def execute_forecast(request_id: int, *, load: Load, on_step: Callable[[], None] = lambda: None) -> None:
    """Make a forecast that nobody has taken up; nothing is stored but its figures.

    on_step: called now and then; where it raises RunStopped, the forecast is given back. After ten minutes what is
    known is kept.
    """
    if not ForecastRequest.objects.claim(request_id):
        return
    request = ForecastRequest.objects.select_related("dataset", "judge").get(pk=request_id)
    making = _Making(request, on_step)
    try:
        rows = dry_run(
            _asked_in(request),
            pilot=request.pilot,
            load=load,
            pilot_seconds=PILOT_SECONDS,
            is_new=True,
            on_step=making.note,
            go_on=making.go_on,
        )
    except RunStopped:
        ForecastRequest.objects.release(request_id)
    except Exception as error:
        known = isinstance(error, EngineError | Refused)
        reason = storable(str(error) if known else f"it broke: {type(error).__name__}: {error}")
        logger.error("forecast %s failed: %s", request_id, reason, exc_info=None if known else error)
        making.store(state=ForecastRequest.State.FAILED, rows=making.rows, error=reason)
    else:
        lacking = _what_lacks(request, rows)
        state = ForecastRequest.State.FAILED if lacking else ForecastRequest.State.DONE
        making.store(state=state, rows=rows, error=lacking)


def _what_lacks(request: ForecastRequest, rows: Sequence[Row]) -> str:
    """What there was no time for; empty where all is there."""
    partial = any(row["tokens"].get("is_partial") for row in rows)
    tried = sum(row["pilot"] is not None for row in rows)
    wanted = request.runs if request.pilot else 0
    if len(rows) == request.runs and tried == wanted and not partial:
        return ""
    counted = f"{len(rows)} of {request.runs} run{'' if request.runs == 1 else 's'} counted"
    pilots = f" and {tried} tried" if wanted else ""
    part = ", the last of them in part" if partial else ""
    return f"it took longer than ten minutes: {counted}{part}{pilots}; {WITHOUT_LIMIT}"


class _Making:
    """How far a forecast is. rows: what is known of each run."""

    def __init__(self, request: ForecastRequest, on_step: Callable[[], None]) -> None:
        self._request = request
        self._on_step = on_step
        self._ends_at = timezone.now() + LONGEST_WORK
        self._counted = 0
        self.rows: list[Row] = []

    def note(self, rows: Sequence[Row]) -> None:
        """Raises RunStopped where it is no longer wanted, or this worker ends."""
        is_first = not self.rows
        self.rows = list(rows)
        if not rows:
            self._counted += 1
        tried = sum(row["pilot"] is not None for row in rows)
        new = {"rows": self.rows} if rows and is_first else {}
        if not self.store(counted=self._counted, tried=tried, **new):
            raise RunStopped("the forecast is no longer wanted")
        self._on_step()

    def go_on(self) -> bool:
        """False after ten minutes. Raises RunStopped where this worker ends."""
        self._on_step()
        return timezone.now() <= self._ends_at

    def store(self, **values: object) -> bool:
        """False where the forecast was taken away meanwhile."""
        running = ForecastRequest.objects.filter(pk=self._request.pk, state=ForecastRequest.State.RUNNING)
        return running.update(**values) == 1


def _told(asked: Sequence[Asked]) -> dict[str, object]:
    """What several runs of one judge ask, with ids."""
    one = asked[0]
    return {
        "runs": [[each.attribute.pk, each.prompt.pk] for each in asked],
        "choice": asdict(one.choice),
        **one.writing.spec(),
        **({"metrics": asdict(one.metrics)} if one.metrics else {}),
    }


def _asked_in(request: ForecastRequest) -> list[Asked]:
    """What `_told` was told. Raises Refused where it is not there any more, or would not ask the same."""
    told = request.asked
    attributes = Attribute.objects.in_bulk({attribute for attribute, _ in told["runs"]})
    prompts = Prompt.objects.in_bulk({prompt for _, prompt in told["runs"]})
    changed = Refused("what was to be forecast has changed since; ask for it again")
    try:
        asked = [
            Asked(
                request.dataset,
                attributes[attribute],
                request.judge,
                prompts[prompt],
                Choice(**told["choice"]),
                writing_in(told),
                metrics_in(told),
            )
            for attribute, prompt in told["runs"]
        ]
    except KeyError:
        raise changed from None
    if forecast_digest(asked, pilot=request.pilot) != request.digest:
        raise changed
    return asked
