"""The estimate of a study's new runs, from forecasts of one run of each kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from judging.models import ForecastRequest, Study, User
from judging.services.execution.chunk_execution import LoadEngine
from judging.services.forecasts.dry_run import dry_run
from judging.services.forecasts.forecast_requests import PILOT, find_forecast, request_forecast
from judging.services.forecasts.judge_estimates import RunGroup, RunsEstimate, summed_estimate
from judging.services.forecasts.time_and_cost import ForecastRow
from judging.services.runs.run_request import RunRequest
from judging.services.studies.study_cells import PlanCell


@dataclass(frozen=True, slots=True)
class CellGroup:
    """New cells that differ only in selection and seed. One of them is forecast for all.

    request: the run with the most questions. largest: its questions. questions: those of all cells. runs: their number.
    """

    request: RunRequest
    largest: int
    questions: int
    runs: int

    def with_row(self, row: ForecastRow | None) -> RunGroup:
        """Return the group with its forecast; None if that is not made."""
        return RunGroup(
            self.request.judge, self.largest, self.questions, self.runs, row, prompt=self.request.prompt.label
        )


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
    study: Study | None, cells: Iterable[PlanCell], *, user: User, pilot: int = PILOT
) -> list[ForecastRequest]:
    """Store forecasts of a study's new runs for the workers: one for each judge, dataset and selection.

    study: None for a plan that is not stored. Forecasts of the study's runs that are no longer new are deleted.
    """
    wanted = [
        request_forecast([group.request for group in groups], user=user, pilot=pilot, study=study)
        for groups in _forecast_batches(cells)
    ]
    if study is not None:
        outdated = ForecastRequest.objects.filter(requested_by=user, study=study)
        outdated.exclude(pk__in=[request.pk for request in wanted]).delete()
    return wanted


def find_study_estimate(
    study: Study | None, cells: Sequence[PlanCell], *, user: User, pilot: int = PILOT
) -> RunsEstimate:
    """Return the estimate as far as workers have made it. study: None for a plan that is not stored."""
    batches = _forecast_batches(cells)
    forecasts = [_find_batch(groups, study, user=user, pilot=pilot) for groups in batches]
    rows: list[RunGroup] = []
    for groups, forecast in zip(batches, forecasts, strict=True):
        known = [*(forecast.rows if forecast else ()), *[None] * len(groups)]
        rows += [group.with_row(row) for group, row in zip(groups, known, strict=False)]
    requested = [forecast for forecast in forecasts if forecast]
    problems = [f"{one.judge.name}: {one.problem}" for one in requested if one.problem]
    return summed_estimate(
        rows,
        requested=bool(requested),
        is_over=all(one.is_over for one in requested),
        problems=list(dict.fromkeys(problems)),
    )


def adopt_estimate(study: Study, cells: Iterable[PlanCell], *, user: User, pilot: int = PILOT) -> None:
    """Give a study the forecasts that were made of its plan before the plan was stored."""
    forecasts = [_find_batch(groups, None, user=user, pilot=pilot) for groups in _forecast_batches(cells)]
    ForecastRequest.objects.filter(pk__in=[one.pk for one in forecasts if one]).update(study=study)


def estimate_here(cells: Iterable[PlanCell], *, pilot: int, load: LoadEngine) -> RunsEstimate:
    """Estimate the new runs in this process. pilot: questions of each prompt that are asked; 0 for tokens only.

    Raises Refused and EngineError.
    """
    by_judge: dict[str, list[CellGroup]] = defaultdict(list)
    for group in group_new_cells(cells):
        by_judge[group.request.judge.name].append(group)
    rows: list[RunGroup] = []
    for groups in by_judge.values():
        known = dry_run([group.request for group in groups], pilot=pilot, load=load)
        rows += [group.with_row(row) for group, row in zip(groups, known, strict=True)]
    return summed_estimate(rows)


def _find_batch(groups: Sequence[CellGroup], study: Study | None, *, user: User, pilot: int) -> ForecastRequest | None:
    return find_forecast([group.request for group in groups], user=user, pilot=pilot, study=study)


def _forecast_batches(cells: Iterable[PlanCell]) -> list[list[CellGroup]]:
    """Split new cells into the forecasts that a worker makes at once: of one judge, dataset and selection."""
    batches: dict[object, list[CellGroup]] = defaultdict(list)
    for group in group_new_cells(cells):
        request = group.request
        batches[request.judge.pk, request.dataset.pk, request.selection].append(group)
    return list(batches.values())
