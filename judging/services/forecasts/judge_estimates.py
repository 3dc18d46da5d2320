"""Estimates of runs before they start: questions, tokens, time and cost, for each judge or prompt and in all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judging.models import ForecastRequest, Judge
from judging.services.forecasts.forecast_text import forecast_warnings
from judging.services.forecasts.time_and_cost import ForecastRow

PENDING = "not estimated yet"
BY_JUDGE, BY_PROMPT = "judge", "prompt"


@dataclass(frozen=True, slots=True)
class EstimatedFigure:
    """An estimated number, or the reason why there is none."""

    value: float | None = None
    undefined: str = ""


@dataclass(frozen=True, slots=True)
class EstimateLine:
    """The estimate of all new runs of one judge or prompt, or of all of them. name: of the judge or prompt.

    questions: comparisons and scores. tokens: of the prompts, without reasoning. seconds: of one worker.
    cost: in the currency of the judge's prices. warnings: reasons why questions may have no answer.
    """

    name: str
    runs: int
    questions: int
    tokens: EstimatedFigure
    seconds: EstimatedFigure
    cost: EstimatedFigure
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RunsEstimate:
    """The estimate of new runs. lines: one for each judge or prompt, as `by` says. total: of all together.

    requested: forecasts were requested. is_over: no worker counts any more. problems: why parts of it failed.
    """

    lines: Sequence[EstimateLine]
    total: EstimateLine
    requested: bool = False
    is_over: bool = True
    problems: Sequence[str] = ()
    by: str = BY_JUDGE


@dataclass(frozen=True, slots=True)
class RunGroup:
    """Runs of one judge and prompt that one forecast row stands for. prompt: empty for runs without a row.

    questions: comparisons and scores of all these runs. largest: those of the run that was forecast. runs: their
    number. row: the forecast; None if it is not made. undefined: why it is not made.
    """

    judge: Judge
    largest: int
    questions: int
    runs: int
    row: ForecastRow | None = None
    undefined: str = PENDING
    prompt: str = ""

    def name(self, by: str) -> str:
        """Return the name of the group's line. by: BY_JUDGE or BY_PROMPT."""
        return self.prompt if by == BY_PROMPT else self.judge.name


def estimated_runs(forecast: ForecastRequest) -> list[RunGroup]:
    """Return the runs of a forecast, each with its row. Runs without a row are one group."""
    rows: Sequence[ForecastRow] = forecast.rows
    known = [(row["scores" if "scores" in row else "comparisons"], row) for row in rows]
    groups = [RunGroup(forecast.judge, number, number, 1, row, prompt=row["prompt"]) for number, row in known]
    if len(rows) == forecast.runs:
        return groups
    missing = forecast.questions - sum(questions for questions, _ in known)
    reason = forecast.problem or PENDING
    return [*groups, RunGroup(forecast.judge, missing, missing, forecast.runs - len(rows), undefined=reason)]


def estimate_of_forecasts(forecasts: Sequence[ForecastRequest]) -> RunsEstimate:
    """Add up forecasts as far as workers have made them. Those of one judge are added up by prompt."""
    groups = [group for forecast in forecasts for group in estimated_runs(forecast)]
    has_prompts = len(forecasts) == 1 and all(group.prompt for group in groups)
    problems = [f"{one.judge.name}: {one.problem}" for one in forecasts if one.problem]
    return summed_estimate(
        groups,
        is_over=all(one.is_over for one in forecasts),
        problems=list(dict.fromkeys(problems)),
        by=BY_PROMPT if has_prompts else BY_JUDGE,
    )


def summed_estimate(
    groups: Sequence[RunGroup],
    *,
    requested: bool = True,
    is_over: bool = True,
    problems: Sequence[str] = (),
    by: str = BY_JUDGE,
) -> RunsEstimate:
    """Add up forecasts by judge or prompt, and in all."""
    by_name: dict[str, list[RunGroup]] = defaultdict(list)
    for group in groups:
        by_name[group.name(by)].append(group)
    lines = [_with_warnings(_line(name, some), some) for name, some in by_name.items()]
    charged = [group for group in groups if group.judge.is_endpoint]
    total = replace(_line(f"all {by}s", groups), cost=_total(charged or groups, _cost))
    return RunsEstimate(lines, total, requested, is_over, problems, by)


def _line(name: str, groups: Sequence[RunGroup]) -> EstimateLine:
    return EstimateLine(
        name=name,
        runs=sum(group.runs for group in groups),
        questions=sum(group.questions for group in groups),
        tokens=_total(groups, _tokens),
        seconds=_total(groups, _seconds),
        cost=_total(groups, _cost),
    )


def _with_warnings(line: EstimateLine, groups: Sequence[RunGroup]) -> EstimateLine:
    """Add the warnings of forecasts to a line. The sum has none, because those of several judges differ."""
    known = [group.row for group in groups if group.row is not None]
    return replace(line, warnings=forecast_warnings(known)) if known else line


def _total(groups: Sequence[RunGroup], figure: Callable[[ForecastRow], dict[str, Any]]) -> EstimatedFigure:
    """Add up a figure, scaled to all questions of each group. Undefined if one of them is, for its reason."""
    total = 0.0
    for group in groups:
        if group.row is None:
            return EstimatedFigure(undefined=group.undefined)
        known = figure(group.row)
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
