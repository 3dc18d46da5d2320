"""Starting a run: choose, see how much is asked and how a question reads, then start exactly that."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from judging import tasks
from judging.exceptions import Refusals, Refused
from judging.forms.runs import RunForm
from judging.models import Choice as VoteChoice
from judging.models import Dataset, Judge, Prompt, Run, Vote
from judging.services.execution.criteria import find_criteria_prompt
from judging.services.forecasts.forecast_requests import PILOT, find_forecast, request_forecast
from judging.services.plans.generation_settings import GenerationSettings, generation_in
from judging.services.plans.pair_plan import PlanSize
from judging.services.plans.run_spec import criteria_prompt_in, prompt_text
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.prompts.prompt_preview import Example, example
from judging.services.runs.run_lifecycle import create_runs
from judging.services.runs.run_request import RunRequest, checked_spec
from judging.views.forecasts import ForecastShown, forecast_shown
from judging.web.access import SignedInRequest, researchers_only

CHOICE = ("selection", "budget", "context_limit", "seed", "hold_out")
OPTIONS = {
    "selection": "--selection",
    "budget": "--comparisons",
    "context_limit": "--contexts",
    "seed": "--seed",
    "hold_out": "--hold-out",
    "samples": "--samples",
    "temperature": "--temperature",
    "metrics": "--metrics",
}
LAST_RUNS = 20
LONGEST_NUMBER = 18  # digits that every database takes


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """What would be asked with one prompt.

    noun: what each question gives. size: of one run. total: of the runs of all attributes.
    seconds: of all of them; None where the judge's speed is not known.
    """

    prompt: Prompt
    noun: str
    size: PlanSize
    total: int
    seconds: float | None
    example: Example


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be asked, prompt by prompt.

    command: what tells more, with the judge's tokenizer, which a web process does not load. pilot: how many questions
        of each run it asks, and a worker does.
    writing: how the judge writes, where it writes. metrics: the prompt by which it
    writes its own first; empty without.
    needless_tie: whether the judge may call a tie where no vote is one.
    """

    judge: Judge
    prompts: Sequence[PromptPreview]
    attributes: int
    command: str
    pilot: int
    writing: GenerationSettings
    metrics: str
    needless_tie: bool

    @property
    def is_at_endpoint(self) -> bool:
        return self.judge.is_endpoint

    @property
    def runs(self) -> int:
        return self.attributes * len(self.prompts)

    @property
    def totals(self) -> dict[str, int]:
        """noun -> how many are asked in all."""
        totals = Counter[str]()
        for one in self.prompts:
            totals[one.noun] += one.total
        return dict(totals)

    @property
    def seconds(self) -> float | None:
        """None where the speed is not known for every prompt."""
        known = [one.seconds for one in self.prompts if one.seconds is not None]
        return sum(known) if len(known) == len(self.prompts) else None


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def run_new(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Asked to start settings whose size was not shown yet, it shows it first. `like`: a run whose settings it begins
    with.
    """
    dataset = get_object_or_404(Dataset.objects.visible_to(request.user), pk=dataset_id)
    like = Run.objects.visible_to(request.user).filter(dataset=dataset, pk=number_in(request, "like")).first()
    form = RunForm(dataset, request.POST or None, initial=settings_of(like) if like else None)
    context: dict[str, object] = {"dataset": dataset, "form": form}
    if request.method == "POST" and form.is_valid():
        try:
            if "start" in request.POST and request.POST.get("shown") == form.digest():
                return start(request, dataset, form)
            context |= {"preview": preview(dataset, form), "shown": form.digest()}
            context["forecast"] = forecast(request, what_is_asked(dataset, form))
        except Refused as refused:
            form.add_error(None, list(refused.problems))
    return render(request, "judging/runs/new.html", context)


def number_in(request: SignedInRequest, name: str) -> int:
    """A number of the address; 0, which no row has, where there is none."""
    given = request.GET.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) <= LONGEST_NUMBER else 0


def settings_of(run: Run) -> dict[str, object]:
    """What was chosen for a run, for the form of another one. The form offers the newest version of its prompt."""
    newest = Prompt.objects.newest().filter(name=run.prompt.name) if run.prompt else Prompt.objects.none()
    return {
        "attributes": [run.attribute_id],
        "judge": run.judge_id,
        "prompts": [prompt.pk for prompt in newest],
        "samples": run.samples,
        "temperature": run.temperature or None,
        "metrics": run.criteria_name,
    } | {name: getattr(run, name) for name in CHOICE}


def start(request: SignedInRequest, dataset: Dataset, form: RunForm) -> HttpResponse:
    """One run for each attribute and prompt; where one is refused, none is stored."""
    runs = create_runs(what_is_asked(dataset, form), owner=request.user)
    for run in runs:
        tasks.start_run(run.pk)
    if len(runs) > 1:
        messages.success(request, f"{len(runs)} runs are queued, one for each attribute and prompt.")
        return redirect("dataset", dataset.pk)
    return redirect(runs[0])


def forecast(request: SignedInRequest, asked: Sequence[RunRequest]) -> ForecastShown | None:
    """What a worker found out, or is asked to; None where it never was."""
    if "count" in request.POST:
        wanted = request_forecast(asked, user=request.user)
        tasks.start_forecast(wanted)
        return forecast_shown(wanted)
    found = find_forecast(asked, user=request.user)
    return forecast_shown(found) if found else None


def what_is_asked(dataset: Dataset, form: RunForm) -> list[RunRequest]:
    """Every attribute with every prompt."""
    chosen = form.cleaned_data
    metrics = find_criteria_prompt(chosen["metrics"]) if chosen["metrics"] else None
    return [
        RunRequest(dataset, attribute, chosen["judge"], prompt, choice(form), writing(form), metrics)
        for prompt in chosen["prompts"]
        for attribute in chosen["attributes"]
    ]


def choice(form: RunForm) -> SelectionSettings:
    return SelectionSettings(*(form.cleaned_data[name] for name in CHOICE))


def writing(form: RunForm) -> GenerationSettings:
    return GenerationSettings(form.cleaned_data["samples"], form.cleaned_data["temperature"] or 0.0)


def preview(dataset: Dataset, form: RunForm) -> Preview:
    """Raises Refused with every reason why one of the runs cannot be."""
    asked, refusals = what_is_asked(dataset, form), Refusals()
    for one in asked:
        refusals.of(partial(checked_spec, one))
    refusals.raise_if_any()
    attributes = len(form.cleaned_data["attributes"])
    return Preview(
        judge=form.cleaned_data["judge"],
        prompts=[prompt_preview(one, attributes=attributes) for one in asked[::attributes]],
        attributes=attributes,
        command=dry_run_commands(dataset, form),
        pilot=PILOT,
        writing=writing(form),
        needless_tie=is_tie_needless(form),
        metrics=form.cleaned_data["metrics"],
    )


def is_tie_needless(form: RunForm) -> bool:
    if not any(prompt.label_tie for prompt in form.cleaned_data["prompts"]):
        return False
    ties = Vote.objects.filter(attribute__in=form.cleaned_data["attributes"], choice=VoteChoice.TIE)
    return not ties.exists()


def prompt_preview(asked: RunRequest, *, attributes: int) -> PromptPreview:
    """Of a run of one of so many attributes."""
    size = asked.size()
    total = size.comparisons * attributes
    return PromptPreview(
        prompt=asked.prompt,
        noun="score" if asked.is_scoring else "comparison",
        size=size,
        total=total,
        seconds=seconds_for(total, asked),
        example=example(prompt_text(asked.prompt), asked.attribute, metrics=asked.criteria),
    )


def dry_run_commands(dataset: Dataset, form: RunForm) -> str:
    """The commands that tell what the same runs would cost, as one types them into a shell: one for each method."""
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
    options = {name: chosen[field] for field, name in OPTIONS.items()}
    words += [word for name, value in options.items() if value not in (None, "") for word in (name, str(value))]
    return shlex.join([*words, "--dry-run", "--pilot", str(PILOT)])


def seconds_for(comparisons: int, asked: RunRequest) -> float | None:
    """At the speed of the judge's last run that asked so on this dataset; None where none of the last few did."""
    done = Run.objects.filter(dataset=asked.dataset, judge=asked.judge, status=Run.Status.DONE)
    if asked.judge.has_weights:
        done = done.exclude(prompt_tokens=0)  # none of its questions came to the model
    runs = done.filter(method=asked.prompt.method, seconds__gt=0, planned__gt=0)[:LAST_RUNS]
    wanted = (asked.generation, asked.criteria)
    last = next((run for run in runs if (generation_in(run.spec), criteria_prompt_in(run.spec)) == wanted), None)
    return comparisons * last.seconds / last.planned if last else None
