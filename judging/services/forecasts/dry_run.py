"""What runs of one judge would ask and cost, found without storing anything: for commands, and for workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from judging.engine import Engine, EngineSettings, QuestionRefused, load_renderer
from judging.engine.local.memory_estimate import Footprint, estimate_footprint
from judging.exceptions import Refused
from judging.models import Judge
from judging.services.forecasts.forecast_json import Row, forecast_row
from judging.services.forecasts.pilot_timing import Pilot, run_pilot
from judging.services.forecasts.token_forecast import Forecast, Foreseen, forecast
from judging.services.judges.judge_setup import engine_settings, renderer_settings
from judging.services.runs.run_lifecycle import Asked

Load = Callable[[EngineSettings], Engine]
OnStep = Callable[[Sequence[Row]], None]
GoOn = Callable[[], bool]


def dry_run(
    asked: Sequence[Asked],
    *,
    pilot: int,
    load: Load,
    pilot_seconds: float | None = None,
    is_new: bool = False,
    on_step: OnStep = lambda rows: None,
    go_on: GoOn = lambda: True,
) -> list[Row]:
    """A row for each run. Raises Refused and EngineError.

    pilot: so many questions of each run are really asked, by what `load` gives; for 0 nothing is loaded but the
        tokenizer. pilot_seconds: about the most that the pilots of all runs may take; None for no such limit.
    is_new: whether runs of their own are to be started, that go on with no others.
    on_step: called whenever a run was counted, and once more whenever one was tried, with the rows as far as they are
        known: none before all are counted. What it raises ends the dry run.
    go_on: asked now and then, also while a run is counted or tried; where it says no, there are rows of what was
        counted until then, the last of them partial.
    """
    found = _count(asked, is_new=is_new, on_step=on_step, go_on=go_on)
    footprint = _footprint(asked[0].judge, found)

    def row(place: int, tried: Pilot | None) -> Row:
        return forecast_row(asked[place], found[place], footprint=footprint, pilot=tried, is_tried=pilot > 0)

    rows = [row(place, None) for place in range(len(found))]
    if not pilot or not go_on():
        return rows
    on_step(rows)
    engine = load(engine_settings(asked[0].judge))
    seconds = None if pilot_seconds is None else pilot_seconds / len(asked)
    for place, one in enumerate(asked):
        if not go_on():
            break
        tried = run_pilot(one, found[place].items, engine=engine, number=pilot, seconds=seconds, go_on=go_on)
        rows[place] = row(place, tried)
        on_step(rows)
    return rows


def _count(asked: Sequence[Asked], *, is_new: bool, on_step: OnStep, go_on: GoOn) -> list[Forecast]:
    """Of those runs that there was time for, at least one. Raises Refused where not even the first prompt can be."""
    renderer = load_renderer(renderer_settings(asked[0].judge))
    found: list[Forecast] = []
    foreseen = Foreseen()
    for one in asked:
        if found and not go_on():
            break
        try:
            found.append(forecast(one, renderer=renderer, is_new=is_new, foreseen=foreseen, go_on=go_on))
        except QuestionRefused as reason:
            refused = f"judge: {one.judge.name} cannot be asked by {one.prompt.label}: {reason}"
            raise Refused(refused) from reason
        on_step(())
    return found


def _footprint(judge: Judge, found: Sequence[Forecast]) -> Footprint | None:
    """Of the longest prompt of them all; None where it cannot be estimated."""
    if not judge.has_weights:
        return None
    longest = max((one.tokens.longest for one in found if one.tokens), default=0)
    return estimate_footprint(renderer_settings(judge), longest=longest, writes=any(one.analyses for one in found))
