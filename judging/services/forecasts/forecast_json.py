"""The figures of a forecast: one row per run, as JSON. The same for commands, pages and the API."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from judging.engine.local.memory_estimate import Footprint
from judging.engine.questions.pair_questions import ANSWER_TOKENS
from judging.models import Judge
from judging.services.forecasts.pilot_timing import Pilot
from judging.services.forecasts.token_forecast import Forecast
from judging.services.judges.costs import prices_of
from judging.services.runs.run_lifecycle import Asked

Row = dict[str, Any]

OWN_TOKENIZER = "only the endpoint knows its tokenizer; a pilot (--pilot N) tells what it counts"
PILOT_COUNTS = "only the endpoint knows its tokenizer; the pilot tells what it counts"
NO_TOKENS = "a metric reads no prompt"
NO_PILOT = "nothing was asked; a pilot (--pilot N) tells"
NOT_YET = "the pilot has not come to its end"
IN_VAIN = "no question of the pilot came to the judge"
AT_ENDPOINT = "the model runs at its endpoint"
RUNS_HERE = "the model runs here"
MEASURED_HERE = "metrics are measured here"
NOT_ESTIMATED = "not estimated for a metric"
NO_PRICES = "the judge has no prices; add one with --price-input and --price-output"


def forecast_row(
    asked: Asked, found: Forecast, *, footprint: Footprint | None, pilot: Pilot | None, is_tried: bool
) -> Row:
    """What one run would ask and cost. is_tried: whether a pilot is wanted; it may not have come to its end."""
    why_no_pilot = NOT_YET if is_tried else NO_PILOT
    return {
        "judge": asked.judge.name,
        "method": asked.prompt.method,
        "prompt": asked.prompt.name,
        "attribute": asked.attribute.name,
        "scores" if asked.is_scoring else "comparisons": found.planned,
        "reused": found.reused,
        "contexts": found.contexts,
        "candidates": found.candidates,
        "analyses": found.analyses,
        "metrics": found.metrics,
        "samples": asked.writing.samples,
        "temperature": asked.writing.temperature,
        "tokens": asdict(found.tokens) if found.tokens else _no_tokens(asked.judge, is_tried=is_tried),
        "memory": asdict(footprint) if footprint else _no_memory(asked.judge),
        "example": asdict(found.example),
        "pilot": asdict(pilot) if pilot else None,
        "seconds": _seconds(found, pilot) if pilot else {"value": None, "undefined": why_no_pilot},
        "cost": _cost(asked, found, pilot, why_no_pilot=why_no_pilot),
    }


def _no_tokens(judge: Judge, *, is_tried: bool) -> Row:
    at_endpoint = PILOT_COUNTS if is_tried else OWN_TOKENIZER
    return {"prompt_tokens": None, "undefined": NO_TOKENS if judge.is_metric else at_endpoint}


def _no_memory(judge: Judge) -> Row:
    return {"weight_bytes": None, "undefined": NOT_ESTIMATED if judge.is_metric else AT_ENDPOINT}


def _seconds(found: Forecast, pilot: Pilot) -> Row:
    """At the pace of the pilot."""
    if pilot.is_in_vain:
        return {"value": None, "undefined": IN_VAIN}
    return {"value": _of_all(found, pilot, pilot.asked.seconds, pilot.analyses.seconds, pilot.metrics.seconds)}


def _cost(asked: Asked, found: Forecast, pilot: Pilot | None, *, why_no_pilot: str) -> Row:
    """In the currency of the judge's prices; what it writes in an answer counted as the most it may."""
    judge = asked.judge
    if not judge.is_endpoint:
        return {"value": None, "undefined": MEASURED_HERE if judge.is_metric else RUNS_HERE}
    prices = prices_of(judge)
    if prices is None:
        return {"value": None, "undefined": NO_PRICES}
    if pilot is None:
        return {"value": None, "undefined": why_no_pilot}
    if pilot.is_in_vain:
        return {"value": None, "undefined": IN_VAIN}
    written = pilot.asked.requests * ANSWER_TOKENS * (asked.writing.samples or 1)
    question = prices.of(asked=pilot.asked.prompt_tokens, written=written)
    analyses, metrics = (
        prices.of(asked=stage.prompt_tokens, written=stage.written_tokens) for stage in (pilot.analyses, pilot.metrics)
    )
    return {"value": _of_all(found, pilot, question, analyses, metrics)}


def _of_all(found: Forecast, pilot: Pilot, question: float, analyses: float, metrics: float) -> float:
    """What the pilot took, for everything that is left to ask and to write."""
    if not found.left:
        return 0.0
    written = found.analyses * pilot.analyses.each(analyses) + found.metrics * pilot.metrics.each(metrics)
    return found.left * pilot.asked.each(question) + written
