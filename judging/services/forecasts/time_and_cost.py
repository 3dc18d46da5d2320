"""The forecast of one run as a JSON row, the same for commands, pages and the API. Its pilot gives time and cost."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from evenhand.engine.local.model.model_memory import Footprint
from judging.models import Judge
from judging.models.batches import BATCH_PRICE_SHARE
from judging.services.forecasts.pilot import Pilot
from judging.services.forecasts.token_forecast import Forecast
from judging.services.runs.run_request import RunRequest

ForecastRow = dict[str, Any]

TOKENS_NEED_PILOT = "only the endpoint knows its tokenizer; a pilot (--pilot N) reports its counts"
TOKENS_BY_PILOT = "only the endpoint knows its tokenizer; the pilot reports its counts"
NO_TOKENS = "a metric reads no prompt"
RUNS_AT_ENDPOINT = "the model runs at its endpoint"
NOT_ESTIMATED = "not estimated for a metric"
NO_PILOT = "nothing was asked; a pilot (--pilot N) measures it"
PILOT_PENDING = "the pilot is not finished"
PILOT_FAILED = "no question of the pilot reached the judge"
RUNS_HERE = "the model runs here"
MEASURED_HERE = "metrics are measured here"
NO_PRICES = "the judge has no prices; add one with --price-input and --price-output"


def forecast_row(
    request: RunRequest, forecast: Forecast, *, footprint: Footprint | None, pilot: Pilot | None, with_pilot: bool
) -> ForecastRow:
    """Build the row of one run. with_pilot: a pilot was requested; `pilot` is None until it is finished."""
    return {
        "judge": request.judge.name,
        "method": request.prompt.method,
        "prompt": request.prompt.name,
        "attribute": request.attribute.name,
        "scores" if request.is_scoring else "comparisons": forecast.planned,
        "reused": forecast.reused,
        "contexts": forecast.contexts,
        "small_contexts": request.size().small_contexts if request.selection.exclusion else 0,
        "without_anchor": request.size().without_anchor,
        "candidates": forecast.candidates,
        "reasonings": forecast.reasonings,
        "criteria": forecast.criteria,
        "samples": request.generation.samples,
        "temperature": request.generation.temperature,
        "reply_tokens": request.prompt.reply_tokens if request.prompt.verdict else None,
        "thinking_tokens": request.generation.thinking.tokens if request.generation.thinking else None,
        "tokens": asdict(forecast.tokens) if forecast.tokens else _no_tokens(request.judge, with_pilot=with_pilot),
        "memory": asdict(footprint) if footprint else _no_memory(request.judge),
        "example": asdict(forecast.example),
        "pilot": asdict(pilot) if pilot else None,
        "seconds": _seconds(forecast, pilot, with_pilot=with_pilot),
        "cost": _cost(request, forecast, pilot, with_pilot=with_pilot),
    }


def _no_tokens(judge: Judge, *, with_pilot: bool) -> ForecastRow:
    at_endpoint = TOKENS_BY_PILOT if with_pilot else TOKENS_NEED_PILOT
    return {"prompt_tokens": None, "undefined": NO_TOKENS if judge.is_metric else at_endpoint}


def _no_memory(judge: Judge) -> ForecastRow:
    return {"weight_bytes": None, "undefined": NOT_ESTIMATED if judge.is_metric else RUNS_AT_ENDPOINT}


def _seconds(forecast: Forecast, pilot: Pilot | None, *, with_pilot: bool) -> ForecastRow:
    """Extrapolate the seconds that a run will take."""
    if pilot is None or pilot.is_failed:
        return _without_pilot(pilot, with_pilot=with_pilot)
    stages = pilot.asked.seconds, pilot.reasonings.seconds, pilot.criteria.seconds
    return {"value": _extrapolate(forecast, pilot, *stages)}


def _cost(request: RunRequest, forecast: Forecast, pilot: Pilot | None, *, with_pilot: bool) -> ForecastRow:
    """Extrapolate the cost of a run, in the currency of the judge's prices. Answers count at their longest."""
    judge = request.judge
    if not judge.is_endpoint:
        return _undefined(MEASURED_HERE if judge.is_metric else RUNS_HERE)
    if not judge.has_prices:
        return _undefined(NO_PRICES)
    if pilot is None or pilot.is_failed:
        return _without_pilot(pilot, with_pilot=with_pilot)
    thinking = request.generation.thinking
    longest = request.prompt.most_answer_tokens + (thinking.tokens if thinking else 0)
    answer_tokens = pilot.asked.requests * longest * (request.generation.samples or 1)
    answers = judge.cost_of(asked=pilot.asked.prompt_tokens, written=answer_tokens)
    reasonings, criteria = (
        judge.cost_of(asked=stage.prompt_tokens, written=stage.written_tokens)
        for stage in (pilot.reasonings, pilot.criteria)
    )
    share = BATCH_PRICE_SHARE if request.in_batches else 1.0
    return {"value": share * _extrapolate(forecast, pilot, answers, reasonings, criteria)}


def _without_pilot(pilot: Pilot | None, *, with_pilot: bool) -> ForecastRow:
    if pilot is not None:
        return _undefined(PILOT_FAILED)
    return _undefined(PILOT_PENDING if with_pilot else NO_PILOT)


def _undefined(reason: str) -> ForecastRow:
    return {"value": None, "undefined": reason}


def _extrapolate(forecast: Forecast, pilot: Pilot, answers: float, reasonings: float, criteria: float) -> float:
    """Scale the amounts of the pilot's three stages to everything that the run still lacks."""
    if not forecast.left:
        return 0.0
    texts = forecast.reasonings * pilot.reasonings.per_request(reasonings)
    texts += forecast.criteria * pilot.criteria.per_request(criteria)
    return forecast.left * pilot.asked.per_request(answers) + texts
