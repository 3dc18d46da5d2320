"""Forecasts of runs of several judges: one for each judge, because a worker loads one judge at a time."""

from __future__ import annotations

from collections.abc import Sequence

from judging.models import ForecastRequest, User
from judging.services.forecasts.forecast_requests import find_forecast, request_forecast
from judging.services.runs.run_request import RunRequest, checked_specs


def request_forecasts(run_requests: Sequence[RunRequest], *, user: User) -> list[ForecastRequest]:
    """Store the forecasts that are missing; if none is missing, all of them again. Returns the stored ones.

    Raises Refused with every problem of every run, and then stores none.
    """
    checked_specs(run_requests)
    batches = _split_by_judge(run_requests)
    missing = [batch for batch in batches if find_forecast(batch, user=user) is None]
    return [request_forecast(batch, user=user) for batch in missing or batches]


def find_forecasts(run_requests: Sequence[RunRequest], *, user: User) -> list[ForecastRequest]:
    """Return the user's latest forecast for each judge; none at all if one is missing."""
    forecasts = [find_forecast(batch, user=user) for batch in _split_by_judge(run_requests)]
    known = [forecast for forecast in forecasts if forecast is not None]
    return known if len(known) == len(forecasts) else []


def _split_by_judge(run_requests: Sequence[RunRequest]) -> list[list[RunRequest]]:
    by_judge: dict[int, list[RunRequest]] = {}
    for request in run_requests:
        by_judge.setdefault(request.judge.pk, []).append(request)
    return list(by_judge.values())
