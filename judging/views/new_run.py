"""Start of runs: choose settings, preview size and example, then start exactly these."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from judging import tasks
from judging.exceptions import Refusals, Refused
from judging.forms.runs import RunForm
from judging.models import Choice as VoteChoice
from judging.models import Dataset, Exclusion, Judge, Prompt, Run, Vote
from judging.services.execution.criteria import find_criteria_prompt
from judging.services.forecasts.forecast_requests import PILOT, find_forecast, request_forecast
from judging.services.judges.local_models import read_installation
from judging.services.plans.generation_settings import GenerationSettings, generation_in
from judging.services.plans.run_plan import PlanSize
from judging.services.plans.run_spec import criteria_prompt_in, prompt_text
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.prompts.prompt_preview import PromptExample, prompt_example
from judging.services.runs.run_lifecycle import create_runs
from judging.services.runs.run_request import RunRequest, checked_spec
from judging.views.forecasts import ForecastPanel, forecast_panel
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset

COMMAND_OPTIONS = {
    "selection": "--selection",
    "comparisons": "--comparisons",
    "contexts": "--contexts",
    "seed": "--seed",
    "hold_out": "--hold-out",
    "samples": "--samples",
    "temperature": "--temperature",
    "thinking_tokens": "--thinking-tokens",
    "reasoning_effort": "--reasoning-effort",
    "cut_thinking": "--cut-thinking",
    "metrics": "--metrics",
}
THINKING_FIELDS = {"thinking_tokens", "reasoning_effort", "cut_thinking"}
RUNS_TO_TIME = 20
MOST_ID_DIGITS = 18  # every database takes them


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """The runs with one prompt.

    noun: "comparison" or "score". size: of one run. total: comparisons or scores of the runs of all attributes.
    seconds: of all these runs; None if the judge's speed is not known.
    """

    prompt: Prompt
    noun: str
    size: PlanSize
    total: int
    seconds: float | None
    example: PromptExample


@dataclass(frozen=True, slots=True)
class RunsPreview:
    """The runs that the form would start, prompt by prompt.

    command: shell commands that estimate tokens with the judge's tokenizer, which a web process does not load.
    pilot: questions of each run that such an estimate really asks.
    generation: sampling settings. criteria: name of the prompt for self-generated criteria; empty for none.
    needless_tie: the judge may answer with a tie although no vote is one.
    """

    judge: Judge
    prompts: Sequence[PromptPreview]
    attributes: int
    command: str
    pilot: int
    generation: GenerationSettings
    criteria: str
    needless_tie: bool

    @property
    def runs(self) -> int:
        return self.attributes * len(self.prompts)

    @property
    def totals(self) -> dict[str, int]:
        """Return the number of comparisons and of scores, by noun."""
        totals = Counter[str]()
        for one in self.prompts:
            totals[one.noun] += one.total
        return dict(totals)

    @property
    def seconds(self) -> float | None:
        """Total time; None if the speed is not known for every prompt."""
        known = [one.seconds for one in self.prompts if one.seconds is not None]
        return sum(known) if len(known) == len(self.prompts) else None


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def run_new(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Preview runs, and start them once these settings were previewed.

    `like` in the address: the id of a run whose settings fill the form.
    """
    dataset = visible_dataset(request, dataset_id)
    like = Run.objects.visible_to(request.user).filter(dataset=dataset, pk=number_in(request, "like")).first()
    form = RunForm(dataset, request.POST or None, initial=initial_of_copy(like) if like else None)
    installation = read_installation(settings.DATA_DIR)
    context: dict[str, object] = {"dataset": dataset, "form": form, "installation": installation}
    if request.method == "POST" and form.is_valid():
        try:
            if "start" in request.POST and request.POST.get("shown") == form.digest():
                return start_runs(request, dataset, form)
            context |= {"preview": preview_runs(dataset, form), "shown": form.digest()}
            context["forecast"] = latest_forecast(request, chosen_runs(dataset, form))
        except Refused as refused:
            form.add_error(None, list(refused.problems))
    return render(request, "judging/runs/new.html", context)


def number_in(request: SignedInRequest, name: str) -> int:
    """Return a number from the address, or 0, which is the id of no row."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_ID_DIGITS else 0


def initial_of_copy(run: Run) -> dict[str, object]:
    """Return a run's settings as initial values of the form, with the newest version of its prompt."""
    newest = Prompt.objects.newest().filter(name=run.prompt.name) if run.prompt else Prompt.objects.none()
    return {
        "attributes": [run.attribute_id],
        "judge": run.judge_id,
        "prompts": [prompt.pk for prompt in newest],
        "samples": run.samples,
        "temperature": run.temperature or None,
        **initial_thinking(run),
        "metrics": run.criteria_name,
        "batch": run.in_batches,
        "selection": run.selection,
        "comparisons": run.comparisons_per_context,
        "contexts": run.contexts,
        "seed": run.seed,
        "hold_out": run.hold_out,
        "without_system": "\n".join(run.exclusion.systems),
        "without_context": "\n".join(run.exclusion.contexts),
    }


def initial_thinking(run: Run) -> dict[str, object]:
    """Return the settings of a run's thinking as initial values of the form."""
    if run.thinking is None:
        return {}
    return {
        "thinking": "on",
        "thinking_tokens": run.thinking.tokens,
        "reasoning_effort": run.thinking.effort,
        "cut_thinking": "" if run.thinking.reads_cut else "unparsed",
    }


def start_runs(request: SignedInRequest, dataset: Dataset, form: RunForm) -> HttpResponse:
    """Start one run for each attribute and prompt, or none if one is refused."""
    runs = create_runs(chosen_runs(dataset, form), owner=request.user)
    for run in runs:
        tasks.start_run(run.pk)
    if len(runs) > 1:
        messages.success(request, f"{len(runs)} runs queued, one for each attribute and prompt.")
        return redirect("dataset", dataset.pk)
    return redirect(runs[0])


def latest_forecast(request: SignedInRequest, asked: Sequence[RunRequest]) -> ForecastPanel | None:
    """Request a forecast if the form asks for one, else find an earlier one. Returns None without any."""
    if "count" in request.POST:
        requested = request_forecast(asked, user=request.user)
        tasks.start_forecast(requested)
        return forecast_panel(requested)
    earlier = find_forecast(asked, user=request.user)
    return forecast_panel(earlier) if earlier else None


def chosen_runs(dataset: Dataset, form: RunForm) -> list[RunRequest]:
    """Return the chosen runs: one for each prompt and attribute."""
    chosen = form.cleaned_data
    exclusion = Exclusion.of(systems=chosen["without_system"], contexts=chosen["without_context"])
    selection = SelectionSettings(
        rule=chosen["selection"],
        comparisons=chosen["comparisons"],
        contexts=chosen["contexts"],
        seed=chosen["seed"],
        hold_out=chosen["hold_out"],
        exclusion=exclusion,
    )
    generation = GenerationSettings(chosen["samples"], chosen["temperature"] or 0.0, form.chosen_thinking())
    criteria = find_criteria_prompt(chosen["metrics"]) if chosen["metrics"] else None
    return [
        RunRequest(dataset, attribute, chosen["judge"], prompt, selection, generation, criteria, chosen["batch"])
        for prompt in chosen["prompts"]
        for attribute in chosen["attributes"]
    ]


def preview_runs(dataset: Dataset, form: RunForm) -> RunsPreview:
    """Preview the chosen runs. Raises Refused with every problem of every run."""
    asked, refusals = chosen_runs(dataset, form), Refusals()
    for one in asked:
        refusals.of(partial(checked_spec, one))
    refusals.raise_if_any()
    attributes = len(form.cleaned_data["attributes"])
    return RunsPreview(
        judge=form.cleaned_data["judge"],
        prompts=[prompt_preview(one, attributes=attributes) for one in asked[::attributes]],
        attributes=attributes,
        command=dry_run_commands(dataset, form),
        pilot=PILOT,
        generation=asked[0].generation,
        needless_tie=is_tie_needless(form),
        criteria=form.cleaned_data["metrics"],
    )


def is_tie_needless(form: RunForm) -> bool:
    if not any(prompt.offers_tie for prompt in form.cleaned_data["prompts"]):
        return False
    ties = Vote.objects.in_figures().filter(attribute__in=form.cleaned_data["attributes"], choice=VoteChoice.TIE)
    return not ties.exists()


def prompt_preview(asked: RunRequest, *, attributes: int) -> PromptPreview:
    """Preview the runs with one prompt. attributes: their number."""
    size = asked.size()
    total = size.comparisons * attributes
    return PromptPreview(
        prompt=asked.prompt,
        noun="score" if asked.is_scoring else "comparison",
        size=size,
        total=total,
        seconds=seconds_for(total, asked),
        example=prompt_example(prompt_text(asked.prompt), asked.attribute, metrics=asked.criteria),
    )


def dry_run_commands(dataset: Dataset, form: RunForm) -> str:
    """Return the shell commands that estimate the same runs, one command for each method."""
    prompts: dict[str, list[str]] = {}
    for prompt in form.cleaned_data["prompts"]:
        prompts.setdefault(prompt.method, []).append(prompt.label)
    return "\n".join(dry_run_command(dataset, form, method, names) for method, names in prompts.items())


def dry_run_command(dataset: Dataset, form: RunForm, method: str, prompts: list[str]) -> str:
    chosen = form.cleaned_data
    words = ["evenhand", "judge", "--dataset", dataset.name, "--judge", chosen["judge"].name]
    words += [word for attribute in chosen["attributes"] for word in ("--attribute", attribute.name)]
    words += ["--method", method]
    words += [word for prompt in prompts for word in ("--prompt", prompt)]
    thinks = chosen["thinking"] == "on"
    words += ["--thinking", "on"] if thinks else []
    fields = COMMAND_OPTIONS if thinks else COMMAND_OPTIONS.keys() - THINKING_FIELDS
    options = {COMMAND_OPTIONS[field]: chosen[field] for field in COMMAND_OPTIONS if field in fields}
    words += [word for name, value in options.items() if value not in (None, "") for word in (name, str(value))]
    words += [word for name in chosen["without_system"] for word in ("--without-system", name)]
    words += [word for name in chosen["without_context"] for word in ("--without-context", name)]
    words += ["--batch"] if chosen["batch"] else []
    return shlex.join([*words, "--dry-run", "--pilot", str(PILOT)])


def seconds_for(comparisons: int, asked: RunRequest) -> float | None:
    """Estimate seconds from the speed of the judge's last run with the same settings on this dataset.

    Returns None if none of the last 20 runs had these settings.
    """
    done = Run.objects.filter(dataset=asked.dataset, judge=asked.judge, status=Run.Status.DONE)
    if asked.judge.has_weights:
        done = done.exclude(prompt_tokens=0)  # no question reached the model
    runs = done.filter(method=asked.prompt.method, seconds__gt=0, planned__gt=0)[:RUNS_TO_TIME]
    wanted = (asked.generation, asked.criteria)
    last = next((run for run in runs if (generation_in(run.spec), criteria_prompt_in(run.spec)) == wanted), None)
    return comparisons * last.seconds / last.planned if last else None
