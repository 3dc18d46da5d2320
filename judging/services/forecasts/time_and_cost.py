"""The time and the cost of a run, extrapolated from its pilot."""

from __future__ import annotations

from judging.engine.questions.pair_questions import ANSWER_TOKENS
from judging.services.forecasts.pilot import Pilot
from judging.services.forecasts.token_forecast import Forecast
from judging.services.judges.costs import prices_of
from judging.services.runs.run_request import RunRequest

NO_PILOT = "nothing was asked; a pilot (--pilot N) measures it"
PILOT_PENDING = "the pilot is not finished"
PILOT_FAILED = "no question of the pilot reached the judge"
RUNS_HERE = "the model runs here"
MEASURED_HERE = "metrics are measured here"
NO_PRICES = "the judge has no prices; add one with --price-input and --price-output"

Figure = dict[str, float | str | None]
"""`{"value": number}`, or `{"value": None, "undefined": reason}`."""


def forecast_seconds(forecast: Forecast, pilot: Pilot | None, *, with_pilot: bool) -> Figure:
    """Extrapolate the seconds that a run will take. with_pilot: a pilot was requested, finished or not."""
    if pilot is None:
        return _undefined(PILOT_PENDING if with_pilot else NO_PILOT)
    if pilot.is_failed:
        return _undefined(PILOT_FAILED)
    return {
        "value": _extrapolate(forecast, pilot, pilot.asked.seconds, pilot.reasonings.seconds, pilot.criteria.seconds)
    }


def forecast_cost(request: RunRequest, forecast: Forecast, pilot: Pilot | None, *, with_pilot: bool) -> Figure:
    """Extrapolate the cost of a run, in the currency of the judge's prices. Answers count at their longest."""
    judge = request.judge
    if not judge.is_endpoint:
        return _undefined(MEASURED_HERE if judge.is_metric else RUNS_HERE)
    prices = prices_of(judge)
    if prices is None:
        return _undefined(NO_PRICES)
    if pilot is None:
        return _undefined(PILOT_PENDING if with_pilot else NO_PILOT)
    if pilot.is_failed:
        return _undefined(PILOT_FAILED)
    answer_tokens = pilot.asked.requests * ANSWER_TOKENS * (request.generation.samples or 1)
    answers = prices.of(asked=pilot.asked.prompt_tokens, written=answer_tokens)
    reasonings, criteria = (
        prices.of(asked=stage.prompt_tokens, written=stage.written_tokens)
        for stage in (pilot.reasonings, pilot.criteria)
    )
    return {"value": _extrapolate(forecast, pilot, answers, reasonings, criteria)}


def _undefined(reason: str) -> Figure:
    return {"value": None, "undefined": reason}


def _extrapolate(forecast: Forecast, pilot: Pilot, answers: float, reasonings: float, criteria: float) -> float:
    """Scale the amounts of the pilot's three stages to everything that the run still lacks."""
    if not forecast.left:
        return 0.0
    texts = forecast.reasonings * pilot.reasonings.per_request(reasonings)
    texts += forecast.criteria * pilot.criteria.per_request(criteria)
    return forecast.left * pilot.asked.per_request(answers) + texts
