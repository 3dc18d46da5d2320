"""The preview of new runs: their number, size, examples and time, before anything is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from judging.forms.runs import RunForm
from judging.models import Choice as VoteChoice
from judging.models import Dataset, Exclusion, Judge, Prompt, Run, Vote
from judging.services.execution.criteria import find_criteria_prompt
from judging.services.forecasts.forecast_requests import PILOT
from judging.services.forecasts.judge_estimates import (
    BY_JUDGE,
    BY_PROMPT,
    EstimatedFigure,
    RunGroup,
    RunsEstimate,
    summed_estimate,
)
from judging.services.plans.generation_settings import GenerationSettings, generation_in
from judging.services.plans.run_plan import PlanSize
from judging.services.plans.run_spec import criteria_prompt_in, prompt_text
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.prompts.prompt_preview import PromptExample, prompt_example
from judging.services.runs.run_request import RunRequest, RunSizes, checked_specs
from judging.views.estimate_table import EstimateTable, estimate_table
from judging.views.new_run_command import dry_run_commands

RUNS_TO_TIME = 20
NO_RUN_YET = "no run of this judge with each of these methods is finished on this dataset"


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """The runs with one prompt.

    noun: "comparison" or "score". size: of one run. total: comparisons or scores of the runs of all judges and
    attributes.
    """

    prompt: Prompt
    noun: str
    size: PlanSize
    total: int
    example: PromptExample


@dataclass(frozen=True, slots=True)
class RunsPreview:
    """The runs that the form would start, prompt by prompt.

    estimate: of each judge, or of each prompt of a single judge, by its last runs, without tokens and cost.
    command: shell commands that estimate tokens with the judge's tokenizer, which a web process does not load.
    pilot: questions of each run that such an estimate really asks.
    generation: sampling settings. criteria: name of the prompt for self-generated criteria; empty for none.
    needless_tie: the judge may answer with a tie although no vote is one.
    """

    judges: Sequence[Judge]
    prompts: Sequence[PromptPreview]
    attributes: int
    estimate: RunsEstimate
    command: str
    pilot: int
    generation: GenerationSettings
    criteria: str
    needless_tie: bool

    @property
    def runs(self) -> int:
        return len(self.judges) * self.attributes * len(self.prompts)

    @property
    def totals(self) -> dict[str, int]:
        """Return the number of comparisons and of scores, by noun."""
        totals = Counter[str]()
        for one in self.prompts:
            totals[one.noun] += one.total
        return dict(totals)

    @property
    def judge(self) -> Judge | None:
        """The only judge; None if there are several."""
        return self.judges[0] if len(self.judges) == 1 else None

    @property
    def has_endpoint(self) -> bool:
        return any(judge.is_endpoint for judge in self.judges)

    @property
    def asks_only_endpoints(self) -> bool:
        return all(judge.is_endpoint for judge in self.judges)

    @property
    def seconds(self) -> float | None:
        """Total time at the speed of the last runs; None if it is not known for every judge and prompt."""
        return self.estimate.total.seconds.value

    @property
    def table(self) -> EstimateTable:
        return estimate_table(self.estimate)


def chosen_runs(dataset: Dataset, form: RunForm) -> list[RunRequest]:
    """Return the chosen runs: one for each judge, prompt and attribute."""
    chosen = form.cleaned_data
    exclusion = Exclusion.of(systems=chosen["without_system"], contexts=chosen["without_context"])
    selection = SelectionSettings(
        rule=chosen["selection"],
        comparisons=chosen["comparisons"],
        contexts=chosen["contexts"],
        seed=chosen["seed"],
        hold_out=chosen["hold_out"],
        exclusion=exclusion,
        bound=chosen["bound"],
        anchor=chosen["anchor"],
    )
    generation = GenerationSettings(chosen["samples"], chosen["temperature"] or 0.0, form.chosen_thinking())
    criteria = find_criteria_prompt(chosen["metrics"]) if chosen["metrics"] else None
    return [
        RunRequest(dataset, attribute, judge, prompt, selection, generation, criteria, chosen["batch"])
        for judge in chosen["judges"]
        for prompt in chosen["prompts"]
        for attribute in chosen["attributes"]
    ]


def preview_runs(dataset: Dataset, form: RunForm) -> RunsPreview:
    """Preview the chosen runs. Raises Refused with every problem of every run."""
    requests, sizes = chosen_runs(dataset, form), RunSizes()
    checked_specs(requests, sizes=sizes)
    judges, attributes = list(form.cleaned_data["judges"]), len(form.cleaned_data["attributes"])
    of_first_judge = [request for request in requests if request.judge == judges[0]]
    return RunsPreview(
        judges=judges,
        prompts=[
            prompt_preview(one, sizes.size_of(one), runs=attributes * len(judges))
            for one in of_first_judge[::attributes]
        ],
        attributes=attributes,
        estimate=estimate_by_last_runs(requests, sizes),
        command=dry_run_commands(dataset, form),
        pilot=PILOT,
        generation=requests[0].generation,
        needless_tie=is_tie_needless(form),
        criteria=form.cleaned_data["metrics"],
    )


def is_tie_needless(form: RunForm) -> bool:
    if not any(prompt.offers_tie for prompt in form.cleaned_data["prompts"]):
        return False
    ties = Vote.objects.in_figures().filter(attribute__in=form.cleaned_data["attributes"], choice=VoteChoice.TIE)
    return not ties.exists()


def prompt_preview(request: RunRequest, size: PlanSize, *, runs: int) -> PromptPreview:
    """Preview the runs with one prompt. runs: their number."""
    return PromptPreview(
        prompt=request.prompt,
        noun="score" if request.is_scoring else "comparison",
        size=size,
        total=size.comparisons * runs,
        example=prompt_example(prompt_text(request.prompt), request.attribute, metrics=request.criteria),
    )


@dataclass(frozen=True, slots=True)
class _TimedGroup:
    """Runs of one judge and prompt. seconds: by the judge's last runs; None if their speed is not known."""

    group: RunGroup
    seconds: float | None


def estimate_by_last_runs(requests: Sequence[RunRequest], sizes: RunSizes) -> RunsEstimate:
    """Estimate time by the speed of each judge's last runs. Tokens and cost are not estimated.

    The runs of a single judge are added up by prompt.
    """
    by = BY_JUDGE if len({request.judge.pk for request in requests}) > 1 else BY_PROMPT
    timed = _timed_groups(requests, sizes)
    seconds: dict[str, list[float | None]] = {}
    for one in timed:
        seconds.setdefault(one.group.name(by), []).append(one.seconds)
    counted = summed_estimate([one.group for one in timed], by=by)
    lines = [replace(line, seconds=_total_seconds(seconds[line.name])) for line in counted.lines]
    total = replace(counted.total, seconds=_total_seconds([one.seconds for one in timed]))
    return RunsEstimate(lines, total, by=by)


def _timed_groups(requests: Sequence[RunRequest], sizes: RunSizes) -> list[_TimedGroup]:
    """Group the runs by judge and prompt."""
    by_prompt: dict[tuple[int, int], list[RunRequest]] = {}
    for request in requests:
        by_prompt.setdefault((request.judge.pk, request.prompt.pk), []).append(request)
    return [_timed_group(some, sizes) for some in by_prompt.values()]


def _timed_group(requests: Sequence[RunRequest], sizes: RunSizes) -> _TimedGroup:
    first = requests[0]
    questions = sum(sizes.size_of(request).comparisons for request in requests)
    group = RunGroup(first.judge, questions, questions, len(requests), prompt=first.prompt.label)
    return _TimedGroup(group, seconds_for(questions, first))


def _total_seconds(seconds: Sequence[float | None]) -> EstimatedFigure:
    known = [one for one in seconds if one is not None]
    return EstimatedFigure(sum(known)) if len(known) == len(seconds) else EstimatedFigure(undefined=NO_RUN_YET)


def seconds_for(questions: int, request: RunRequest) -> float | None:
    """Estimate seconds from the speed of the judge's last run with the same settings on this dataset.

    Returns None if none of the last 20 runs had these settings.
    """
    done = Run.objects.filter(dataset=request.dataset, judge=request.judge, status=Run.Status.DONE)
    if request.judge.has_weights:
        done = done.exclude(prompt_tokens=0)  # no question reached the model
    runs = done.filter(method=request.prompt.method, seconds__gt=0, planned__gt=0)[:RUNS_TO_TIME]
    wanted = (request.generation, request.criteria)
    last = next((run for run in runs if (generation_in(run.spec), criteria_prompt_in(run.spec)) == wanted), None)
    return questions * last.seconds / last.planned if last else None
