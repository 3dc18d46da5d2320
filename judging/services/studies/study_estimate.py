"""The estimate of a study before it starts: questions, tokens, time and cost, for each judge and in all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judging.models import ForecastRequest, Study, User
from judging.services.execution.chunk_execution import LoadEngine
from judging.services.forecasts.dry_run import dry_run
from judging.services.forecasts.forecast_requests import PILOT, find_forecast, request_forecast
from judging.services.forecasts.forecast_text import forecast_warnings
from judging.services.forecasts.time_and_cost import ForecastRow
from judging.services.runs.run_request import RunRequest
from judging.services.studies.study_cells import PlanCell

PENDING = "not estimated yet"
ALL_JUDGES = "all judges"


@dataclass(frozen=True, slots=True)
class EstimatedFigure:
    """An estimated number, or the reason why there is none."""

    value: float | None = None
    undefined: str = ""


@dataclass(frozen=True, slots=True)
class JudgeEstimate:
    """The estimate of all new runs of one judge, or of all judges.

    questions: comparisons and scores. tokens: of the prompts, without reasoning. seconds: of one worker.
    cost: in the currency of the judge's prices. warnings: reasons why questions may have no answer.
    """

    judge: str
    runs: int
    questions: int
    tokens: EstimatedFigure
    seconds: EstimatedFigure
    cost: EstimatedFigure
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class StudyEstimate:
    """The estimate of a study's new runs. total: of all judges together.

    requested: forecasts were requested. is_over: no worker counts any more. problems: why parts of it failed.
    """

    judges: Sequence[JudgeEstimate]
    total: JudgeEstimate
    requested: bool = False
    is_over: bool = True
    problems: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CellGroup:
    """New cells that differ only in selection and seed. One of them is forecast for all.

    request: the run with the most questions. largest: its questions. questions: those of all cells. runs: their number.
    """

    request: RunRequest
    largest: int
    questions: int
    runs: int


def group_new_cells(cells: Iterable[PlanCell]) -> list[CellGroup]:
    """Group the new cells by dataset, attribute, judge and prompt."""
    by_prompt: dict[tuple[str, ...], list[tuple[int, RunRequest]]] = defaultdict(list)
    for cell in cells:
        if cell.state == "new" and cell.request:
            by_prompt[cell.key[:4]].append((cell.questions, cell.request))
    groups = []
    for members in by_prompt.values():
        largest, request = max(members, key=lambda member: member[0])
        groups.append(CellGroup(request, largest, sum(number for number, _ in members), len(members)))
    return groups


def request_study_estimate(
    study: Study, cells: Iterable[PlanCell], *, user: User, pilot: int = PILOT
) -> list[ForecastRequest]:
    """Store forecasts of a study's new runs for the workers: one for each judge, dataset and selection.

    Forecasts of runs that are no longer new are deleted.
    """
    wanted = [
        request_forecast([group.request for group in groups], user=user, pilot=pilot, study=study)
        for groups in _forecast_batches(cells)
    ]
    outdated = ForecastRequest.objects.filter(requested_by=user, study=study)
    outdated.exclude(pk__in=[request.pk for request in wanted]).delete()
    return wanted


def find_study_estimate(
    study: Study | None, cells: Sequence[PlanCell], *, user: User, pilot: int = PILOT
) -> StudyEstimate:
    """Return the estimate as far as workers have made it. study: None for a plan that is not stored."""
    batches = _forecast_batches(cells)
    forecasts = [
        find_forecast([group.request for group in groups], user=user, pilot=pilot, study=study) if study else None
        for groups in batches
    ]
    rows: list[tuple[CellGroup, ForecastRow | None]] = []
    for groups, forecast in zip(batches, forecasts, strict=True):
        known = [*(forecast.rows if forecast else ()), *[None] * len(groups)]
        rows += zip(groups, known, strict=False)
    requested = [forecast for forecast in forecasts if forecast]
    problems = [f"{one.judge.name}: {one.problem}" for one in requested if one.problem]
    return summed_estimate(
        rows,
        requested=bool(requested),
        is_over=all(one.is_over for one in requested),
        problems=list(dict.fromkeys(problems)),
    )


def estimate_here(cells: Iterable[PlanCell], *, pilot: int, load: LoadEngine) -> StudyEstimate:
    """Estimate the new runs in this process. pilot: questions of each prompt that are asked; 0 for tokens only.

    Raises Refused and EngineError.
    """
    by_judge: dict[str, list[CellGroup]] = defaultdict(list)
    for group in group_new_cells(cells):
        by_judge[group.request.judge.name].append(group)
    rows: list[tuple[CellGroup, ForecastRow | None]] = []
    for groups in by_judge.values():
        rows += zip(groups, dry_run([group.request for group in groups], pilot=pilot, load=load), strict=True)
    return summed_estimate(rows)


def summed_estimate(
    rows: Sequence[tuple[CellGroup, ForecastRow | None]],
    *,
    requested: bool = True,
    is_over: bool = True,
    problems: Sequence[str] = (),
) -> StudyEstimate:
    """Add up forecasts by judge and in all. A row is None if its forecast is not made."""
    by_judge: dict[str, list[tuple[CellGroup, ForecastRow | None]]] = defaultdict(list)
    for group, row in rows:
        by_judge[group.request.judge.name].append((group, row))
    judges = [_estimate(name, some) for name, some in by_judge.items()]
    charged = [row for row in rows if row[0].request.judge.is_endpoint]
    total = replace(_estimate(ALL_JUDGES, rows), cost=_total(charged or rows, _cost))
    return StudyEstimate(judges, total, requested, is_over, problems)


def _forecast_batches(cells: Iterable[PlanCell]) -> list[list[CellGroup]]:
    """Split new cells into the forecasts that a worker makes at once: of one judge, dataset and selection."""
    batches: dict[object, list[CellGroup]] = defaultdict(list)
    for group in group_new_cells(cells):
        request = group.request
        batches[request.judge.pk, request.dataset.pk, request.selection].append(group)
    return list(batches.values())


def _estimate(judge: str, rows: Sequence[tuple[CellGroup, ForecastRow | None]]) -> JudgeEstimate:
    """Add up the rows of one or several judges. The warnings of several judges differ, so each has its own."""
    known = [row for _, row in rows if row is not None] if judge != ALL_JUDGES else []
    return JudgeEstimate(
        judge=judge,
        runs=sum(group.runs for group, _ in rows),
        questions=sum(group.questions for group, _ in rows),
        tokens=_total(rows, _tokens),
        seconds=_total(rows, _seconds),
        cost=_total(rows, _cost),
        warnings=forecast_warnings(known) if known else (),
    )


def _total(
    rows: Sequence[tuple[CellGroup, ForecastRow | None]], figure: Callable[[ForecastRow], dict[str, Any]]
) -> EstimatedFigure:
    """Add up a figure, scaled to all questions of each group. Undefined if one of them is, for its reason."""
    total = 0.0
    for group, row in rows:
        if row is None:
            return EstimatedFigure(undefined=PENDING)
        known = figure(row)
        if known["value"] is None:
            return EstimatedFigure(undefined=known["undefined"])
        total += known["value"] * group.questions / group.largest
    return EstimatedFigure(total)


def _seconds(row: ForecastRow) -> dict[str, Any]:
    return dict(row["seconds"])


def _cost(row: ForecastRow) -> dict[str, Any]:
    return dict(row["cost"])


def _tokens(row: ForecastRow) -> dict[str, Any]:
    """Return the tokens of a run's prompts: counted, or extrapolated from an endpoint's counts in the pilot."""
    if row["tokens"]["prompt_tokens"] is not None:
        return {"value": row["tokens"]["prompt_tokens"]}
    asked = row["pilot"]["asked"] if row["pilot"] else {}
    if not asked.get("prompt_tokens"):
        return {"value": None, "undefined": row["tokens"]["undefined"]}
    left = row["scores" if "scores" in row else "comparisons"] - row["reused"]
    return {"value": left * asked["prompt_tokens"] / asked["requests"]}
