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
from judging.engine import Question
from judging.exceptions import Refused
from judging.forms import RunForm
from judging.methods import METHODS, Method
from judging.models import Attribute, Candidate, Dataset, Judge, Run
from judging.services.choices import Choice
from judging.services.plans import PlanSize
from judging.services.runs import ASKED_METHODS, Asked, checked_spec, create_run
from judging.services.specs import worded_prompt
from judging.services.texts import Shown, question_of, reasoned, reasoning_request, texts_of

CHOICE = ("selection", "budget", "context_limit", "seed", "hold_out")
OPTIONS = {
    "selection": "--selection",
    "budget": "--comparisons",
    "context_limit": "--contexts",
    "seed": "--seed",
    "hold_out": "--hold-out",
}
PILOT = 32
ALONE = "[what the judge wrote about this text in the first step]"
TOGETHER = "[what the judge wrote about both texts in the first step]"


@dataclass(frozen=True, slots=True)
class Example:
    """A question about a real pair or text. first_step: what the judge is asked to write before; empty if nothing."""

    question: Question
    first_step: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be asked.

    total: comparisons (or scores) of all attributes; seconds: None where the judge's speed is not known.
    method: how it is asked; noun: what it gives.
    command: what tells more, with the judge's tokenizer, which a web process does not load.
    """

    size: PlanSize
    attributes: int
    total: int
    example: Example
    seconds: float | None
    command: str
    method: Method
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
        example=example(asked),
        seconds=seconds_for(total, dataset=dataset, judge=judge, method=prompt.method),
        command=dry_run_command(dataset, form),
        method=METHODS[prompt.method],
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


def example(asked: Asked) -> Example:
    """How the judge is asked about the first pair of the dataset, or its first text, in its words."""
    worded = worded_prompt(asked.spec())
    shown = first_text(asked.dataset) if asked.is_scoring else first_pair(asked.dataset)
    texts = texts_of([shown])
    first_step = reasoned(asked.prompt.method, shown)
    analyses = [ALONE if len(one) == 1 else TOGETHER for one in first_step]
    written = reasoning_request(worded, texts, first_step[0], max_new_tokens=1).text if first_step else ""
    return Example(question_of(worded, texts, shown, analyses=analyses), written)


def first_text(dataset: Dataset) -> Shown:
    """The first candidate of the first context that has one. Raises Refused."""
    first = Candidate.objects.filter(context__dataset=dataset).order_by("context__position", "position").first()
    if first is None:
        raise Refused("there is nothing to score: no context has a candidate")
    return (first.pk,)


def first_pair(dataset: Dataset) -> tuple[int, int]:
    """The first two candidates of the first context that has two. Raises Refused."""
    seconds = Candidate.objects.filter(context__dataset=dataset, position=1).order_by("context__position")
    second = seconds.first()
    if second is None:
        raise Refused("there is nothing to compare: no context has two candidates")
    return Candidate.objects.values_list("pk", flat=True).get(context=second.context_id, position=0), second.pk


def seconds_for(comparisons: int, *, dataset: Dataset, judge: Judge, method: str) -> float | None:
    """At the speed of the judge's last run by this method on this dataset; None where there is none."""
    done = Run.objects.filter(dataset=dataset, judge=judge, method=method, status=Run.Status.DONE)
    last = done.filter(seconds__gt=0, planned__gt=0).first()
    return comparisons * last.seconds / last.planned if last else None
