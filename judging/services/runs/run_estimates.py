"""Estimates of runs before they start: questions, time, tokens and cost. Page, API and commands show the same.

Time, tokens and cost are those of the judge's last run of the same kind, which may be a pilot on a few contexts.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.units import counted, format_duration, format_price
from judging.models import Run
from judging.models.endpoints import BATCH_PRICE_SHARE
from judging.models.runs import RunQuerySet
from judging.services.judges.endpoint_limits import pause_of
from judging.services.plans.generation_settings import generation_in
from judging.services.plans.run_plan import PlanSize
from judging.services.plans.run_spec import criteria_prompt_in
from judging.services.runs.progress import cost_at_most, count_outcomes
from judging.services.runs.run_lifecycle import find_run, length_warnings
from judging.services.runs.run_request import RunRequest, RunSizes, checked_specs

LAST_RUNS = 20
NO_PILOT = "this judge has finished no run of this kind on this dataset"
NO_TOKENS = "a metric reads no prompt"
NO_PRICES = "the judge has no prices"

AskedRun = tuple[RunRequest, int]
"""A run, and the number of comparisons or scores that it asks."""


@dataclass(frozen=True, slots=True)
class EstimatedFigure:
    """An estimated number, or the reason why there is none."""

    value: float | None = None
    undefined: str = ""

    def row(self) -> dict[str, Any]:
        """Return the figure as JSON values; a reason stands only where there is no number."""
        return {"value": self.value} | ({"undefined": self.undefined} if self.value is None else {})


@dataclass(frozen=True, slots=True)
class RunsEstimate:
    """The questions, time, tokens and cost of runs of one judge.

    questions: comparisons and scores. seconds: of one worker. tokens: of the prompts. cost: at most, in the currency of
    the judge's prices.
    """

    judge: str
    runs: int
    questions: int
    seconds: EstimatedFigure
    tokens: EstimatedFigure
    cost: EstimatedFigure

    def figures(self) -> dict[str, Any]:
        """Return seconds, tokens and cost as JSON values, and all three in words."""
        figures = {name: getattr(self, name).row() for name in ("seconds", "tokens", "cost")}
        return figures | {"sentence": self.sentence}

    @property
    def sentence(self) -> str:
        """Say what the runs take, or how to find out."""
        if self.seconds.value is None:
            return f"Time, tokens and cost unknown: {NO_PILOT}. Run a pilot on a few contexts to know."
        time = "less than a second" if self.seconds.value < 1 else format_duration(self.seconds.value)
        tokens = "" if not self.tokens.value else f", {counted(round(self.tokens.value), 'token')}"
        cost = "" if self.cost.value is None else f", and at most {format_price(self.cost.value)} at the judge's prices"
        return f"About {time}{tokens}{cost}, as in this judge's last run of this kind."


def estimates_by_judge(asked: Iterable[AskedRun], *, known: RunQuerySet) -> list[RunsEstimate]:
    """Estimate runs, those of each judge together. known: the runs that the person may see."""
    by_judge: dict[int, list[AskedRun]] = {}
    for request, questions in asked:
        by_judge.setdefault(request.judge.pk, []).append((request, questions))
    return [estimate_runs(of_judge, known=known) for of_judge in by_judge.values()]


def estimate_runs(asked: Sequence[AskedRun], *, known: RunQuerySet) -> RunsEstimate:
    """Estimate runs of one judge together. known: the runs that the person may see."""
    judge, pilots = asked[0][0].judge, _pilots([request for request, _ in asked], known)
    cost = _total(asked, pilots, _full_price, _price_share)
    return RunsEstimate(
        judge.name,
        runs=len(asked),
        questions=sum(questions for _, questions in asked),
        seconds=_total(asked, pilots, lambda run: run.seconds),
        tokens=_undefined(NO_TOKENS) if judge.is_metric else _total(asked, pilots, lambda run: run.prompt_tokens),
        cost=cost if judge.has_prices else _undefined(NO_PRICES),
    )


def _undefined(reason: str) -> EstimatedFigure:
    return EstimatedFigure(undefined=reason)


def _total(
    asked: Sequence[AskedRun],
    pilots: Sequence[Run | None],
    amount: Callable[[Run], float],
    share: Callable[[RunRequest], float] = lambda request: 1.0,
) -> EstimatedFigure:
    """Add up an amount of each run, in proportion to that of its pilot. share: of the amount, for a request."""
    known = [run for run in pilots if run is not None]
    if len(known) < len(asked):
        return _undefined(NO_PILOT)
    rates = {run: amount(run) / run.planned for run in set(known)}
    return EstimatedFigure(
        sum(questions * rates[run] * share(request) for (request, questions), run in zip(asked, known, strict=True))
    )


def dry_run(
    requests: Sequence[RunRequest], *, known: RunQuerySet, continues: bool = False, owner_id: int | None = None
) -> list[dict[str, Any]]:
    """Return what each run asks and takes, as JSON values. Nothing is asked or stored. Raises Refused.

    known: the runs that the person may see. owner_id: the person; None for the command line.
    continues: the command line's run with the same settings goes on, so that
    its answers are reused.
    """
    sizes = RunSizes()
    checked_specs(requests, sizes=sizes)
    warnings = length_warnings(requests)
    return [
        _row(
            request,
            sizes.size_of(request),
            find_run(request) if continues else None,
            [warning, pause_of(request.judge, owner_id)],
            known,
        )
        for request, warning in zip(requests, warnings, strict=True)
    ]


def _row(
    request: RunRequest, size: PlanSize, run: Run | None, warnings: Sequence[str], known: RunQuerySet
) -> dict[str, Any]:
    reused = sum(count_outcomes(run).values()) if run else 0
    estimate = estimate_runs([(request, size.comparisons - reused)], known=known)
    return {
        "judge": request.judge.name,
        "method": request.prompt.method,
        "prompt": request.prompt.name,
        "attribute": request.attribute.name,
        "scores" if request.is_scoring else "comparisons": size.comparisons,
        "reused": reused,
        "contexts": size.contexts,
        "small_contexts": size.small_contexts if request.selection.exclusion else 0,
        "without_anchor": size.without_anchor,
        "candidates": size.candidates,
        "reasonings": request.count_reasonings(planned=size.comparisons, candidates=size.candidates),
        "criteria": request.count_criteria(),
        **estimate.figures(),
        "warnings": [*filter(None, warnings)],
    }


def _pilots(requests: Sequence[RunRequest], known: RunQuerySet) -> list[Run | None]:
    """Return the judge's last run of each request's kind on its dataset; None without one."""
    found: dict[tuple[object, ...], Run | None] = {}
    for request in requests:
        kind = _kind(request)
        if kind not in found:
            found[kind] = _last_run(request, known)
    return [found[_kind(request)] for request in requests]


def _kind(request: RunRequest) -> tuple[object, ...]:
    return request.dataset.pk, request.prompt.method, request.generation, request.criteria


def _last_run(request: RunRequest, known: RunQuerySet) -> Run | None:
    """Find the last run with the same judge, dataset, method, sampling and criteria among the last 20."""
    done = known.filter(dataset=request.dataset, judge=request.judge, status=Run.Status.DONE)
    if request.judge.has_weights:
        done = done.exclude(prompt_tokens=0)  # no question reached the model
    runs = done.filter(method=request.prompt.method, seconds__gt=0, planned__gt=0)[:LAST_RUNS]
    wanted = (request.generation, request.criteria)
    return next((run for run in runs if (generation_in(run.spec), criteria_prompt_in(run.spec)) == wanted), None)


def _full_price(run: Run) -> float:
    """Return the cost of a run outside batches."""
    return (cost_at_most(run, run.planned) or 0) / _price_share(run)


def _price_share(run: Run | RunRequest) -> float:
    return BATCH_PRICE_SHARE if run.in_batches else 1.0
