"""A dry run: forecasts several runs of one judge without storing anything. Commands and workers use it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evenhand.engine import QuestionRefused, load_renderer
from evenhand.engine.local.model.model_memory import Footprint, estimate_footprint
from evenhand.refusals import Refused
from judging.models import Judge
from judging.services.execution.chunk_execution import LoadEngine
from judging.services.forecasts.pilot import Pilot, run_pilot
from judging.services.forecasts.time_and_cost import ForecastRow, forecast_row
from judging.services.forecasts.token_forecast import Forecast, PlannedTexts, forecast_run
from judging.services.judges.judge_setup import engine_settings, renderer_settings
from judging.services.runs.run_request import RunRequest

OnStep = Callable[[Sequence[ForecastRow]], None]
GoOn = Callable[[], bool]


def dry_run(
    requests: Sequence[RunRequest],
    *,
    pilot: int,
    load: LoadEngine,
    pilot_seconds: float | None = None,
    is_new: bool = False,
    on_step: OnStep = lambda rows: None,
    go_on: GoOn = lambda: True,
) -> list[ForecastRow]:
    """Return a forecast row for each run. Raises Refused and EngineError.

    pilot: number of questions of each run that are asked; with 0, only the tokenizer is loaded.
    pilot_seconds: approximate limit on the pilots of all runs together; None for no limit.
    is_new: forecast new runs; otherwise, existing runs with the same spec are continued.
    on_step: called after each counted run with no rows, and after each pilot with all rows. Its errors end the dry run.
    go_on: polled during the work. Once it returns False, the rows counted so far are returned, the last one partial.
    """
    forecasts = _count(requests, is_new=is_new, on_step=on_step, go_on=go_on)
    footprint = _estimate_memory(requests[0].judge, forecasts)

    def row(number: int, measured: Pilot | None) -> ForecastRow:
        return forecast_row(
            requests[number], forecasts[number], footprint=footprint, pilot=measured, with_pilot=pilot > 0
        )

    rows = [row(number, None) for number in range(len(forecasts))]
    if not pilot or not go_on():
        return rows
    on_step(rows)
    engine = load(engine_settings(requests[0].judge, requests[0].generation.thinking))
    seconds = None if pilot_seconds is None else pilot_seconds / len(requests)
    for number, request in enumerate(requests):
        if not go_on():
            break
        measured = run_pilot(
            request, forecasts[number].items, engine=engine, number=pilot, seconds=seconds, go_on=go_on
        )
        rows[number] = row(number, measured)
        on_step(rows)
    return rows


def _count(requests: Sequence[RunRequest], *, is_new: bool, on_step: OnStep, go_on: GoOn) -> list[Forecast]:
    """Count the tokens of at least one run, and of more while `go_on` allows.

    Raises Refused if the first prompt of a run cannot be rendered.
    """
    renderer = load_renderer(renderer_settings(requests[0].judge))
    forecasts: list[Forecast] = []
    planned_texts = PlannedTexts(set)
    for request in requests:
        if forecasts and not go_on():
            break
        try:
            forecasts.append(
                forecast_run(request, renderer=renderer, is_new=is_new, planned_texts=planned_texts, go_on=go_on)
            )
        except QuestionRefused as reason:
            refused = f"judge: {request.judge.name} cannot be asked by {request.prompt.label}: {reason}"
            raise Refused(refused) from reason
        on_step(())
    return forecasts


def _estimate_memory(judge: Judge, forecasts: Sequence[Forecast]) -> Footprint | None:
    """Estimate the memory for the longest prompt of all runs; None for a judge without weights here."""
    if not judge.has_weights:
        return None
    longest = max((one.tokens.longest for one in forecasts if one.tokens), default=0)
    return estimate_footprint(
        renderer_settings(judge), longest=longest, writes=any(one.reasonings for one in forecasts)
    )
