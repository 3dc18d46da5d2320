"""Starting a run: choose, see how much is asked and how a question reads, then start exactly that."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from evalsite.access import SignedInRequest, researchers_only
from judging import tasks
from judging.exceptions import Refused
from judging.forms import RunForm
from judging.models import Attribute, Dataset, Judge, Run
from judging.services.choices import Choice
from judging.services.examples import Example, example
from judging.services.plans import PlanSize
from judging.services.runs import ASKED_METHODS, Asked, checked_spec, create_run
from judging.services.specs import prompt_text

CHOICE = ("selection", "budget", "context_limit", "seed", "hold_out")
OPTIONS = {
    "selection": "--selection",
    "budget": "--comparisons",
    "context_limit": "--contexts",
    "seed": "--seed",
    "hold_out": "--hold-out",
}
PILOT = 32


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be asked.

    total: comparisons (or scores) of all attributes; seconds: None where the judge's speed is not known.
    noun: what each question gives.
    command: what tells more, with the judge's tokenizer, which a web process does not load.
    """

    size: PlanSize
    attributes: int
    total: int
    example: Example
    seconds: float | None
    command: str
    noun: str


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def run_new(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Asked to start settings whose size was not shown yet, it shows it first."""
    dataset = get_object_or_404(Dataset.objects.visible_to(request.user), pk=dataset_id)
    form = RunForm(dataset, request.POST or None, methods=ASKED_METHODS)
    context: dict[str, object] = {"dataset": dataset, "form": form}
    if request.method == "POST" and form.is_valid():
        try:
            if "start" in request.POST and request.POST.get("shown") == form.digest():
                return start(request, dataset, form)
            context |= {"preview": preview(dataset, form), "shown": form.digest()}
        except Refused as refused:
            form.add_error(None, list(refused.problems))
    return render(request, "judging/runs/new.html", context)


def start(request: SignedInRequest, dataset: Dataset, form: RunForm) -> HttpResponse:
    """One run for each attribute; where one is refused, none is stored."""
    judge, prompt, chosen = form.cleaned_data["judge"], form.cleaned_data["prompt"], choice(form)
    with transaction.atomic():
        runs = [
            create_run(dataset, attribute=attribute, judge=judge, prompt=prompt, owner=request.user, choice=chosen)
            for attribute in form.cleaned_data["attributes"]
        ]
    for run in runs:
        tasks.start_run(run.pk)
    if len(runs) > 1:
        messages.success(request, f"{len(runs)} runs are queued, one for each attribute.")
        return redirect("dataset", dataset.pk)
    return redirect(runs[0])


def choice(form: RunForm) -> Choice:
    return Choice(**{name: form.cleaned_data[name] for name in CHOICE})


def preview(dataset: Dataset, form: RunForm) -> Preview:
    """Raises Refused where such a run cannot be."""
    attributes: list[Attribute] = list(form.cleaned_data["attributes"])
    judge, prompt = form.cleaned_data["judge"], form.cleaned_data["prompt"]
    asked = Asked(dataset, attributes[0], judge, prompt, choice(form))
    checked_spec(asked)
    size = asked.size()
    total = size.comparisons * len(attributes)
    return Preview(
        size=size,
        attributes=len(attributes),
        total=total,
        example=example(prompt_text(prompt), attributes[0]),
        seconds=seconds_for(total, dataset=dataset, judge=judge, method=prompt.method),
        command=dry_run_command(dataset, form),
        noun="score" if asked.is_scoring else "comparison",
    )


def dry_run_command(dataset: Dataset, form: RunForm) -> str:
    """The command that tells what the same runs would cost, as one types it into a shell."""
    chosen, prompt = form.cleaned_data, form.cleaned_data["prompt"]
    words = ["evenhand", "judge", "--dataset", dataset.name, "--judge", chosen["judge"].name]
    words += [word for attribute in chosen["attributes"] for word in ("--attribute", attribute.name)]
    words += ["--method", prompt.method, "--prompt", prompt.name]
    options = {name: chosen[field] for field, name in OPTIONS.items()}
    words += [word for name, value in options.items() if value is not None for word in (name, str(value))]
    return shlex.join([*words, "--dry-run", "--pilot", str(PILOT)])


def seconds_for(comparisons: int, *, dataset: Dataset, judge: Judge, method: str) -> float | None:
    """At the speed of the judge's last run by this method on this dataset; None where there is none."""
    done = Run.objects.filter(dataset=dataset, judge=judge, method=method, status=Run.Status.DONE)
    last = done.filter(seconds__gt=0, planned__gt=0).first()
    return comparisons * last.seconds / last.planned if last else None
