"""Start of runs: choose settings, preview size, examples and cost, then start exactly these."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from evenhand.refusals import Refused
from judging import tasks
from judging.forms.runs import RunForm
from judging.models import Choice as VoteChoice
from judging.models import Dataset, Judge, Prompt, Run, User, Vote
from judging.services.judges.endpoint_limits import pauses_of
from judging.services.judges.package_installation import read_installation
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.plans.run_plan import PlanSize
from judging.services.plans.run_spec import prompt_text
from judging.services.prompts.prompt_preview import PromptExample, prompt_example
from judging.services.runs.progress import count_outcomes
from judging.services.runs.run_estimates import RunsEstimate, estimates_by_judge
from judging.services.runs.run_lifecycle import create_or_continue_all, find_run, length_warnings, warnings_of
from judging.services.runs.run_request import RunRequest, RunSizes, checked_specs
from judging.services.runs.run_settings import run_requests
from judging.web.form_fields import is_id
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset


@dataclass(frozen=True, slots=True)
class PromptPreview:
    """The runs with one prompt.

    noun: "comparison" or "score". size: of one run. total: comparisons or scores without an answer, of the runs of all
    judges and attributes.
    """

    prompt: Prompt
    noun: str
    size: PlanSize
    total: int
    example: PromptExample


@dataclass(frozen=True, slots=True)
class RunsPreview:
    """The runs that the form would start, prompt by prompt.

    estimates: what the runs of each judge take. warnings: prompts that are too long.
    generation: sampling settings. criteria: name of the prompt for self-generated criteria; empty for none.
    needless_tie: the judge may answer with a tie although no vote is one. begun: the runs that exist.
    """

    judges: Sequence[Judge]
    prompts: Sequence[PromptPreview]
    attributes: int
    estimates: Sequence[RunsEstimate]
    warnings: Sequence[str]
    generation: GenerationSettings
    criteria: str
    needless_tie: bool
    begun: Sequence[Run]

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
    def has_endpoint(self) -> bool:
        return any(judge.is_endpoint for judge in self.judges)

    @property
    def asks_only_endpoints(self) -> bool:
        return all(judge.is_endpoint for judge in self.judges)


def chosen_runs(dataset: Dataset, form: RunForm) -> list[RunRequest]:
    """Return the chosen runs: one for each judge, attribute and prompt."""
    chosen = form.cleaned_data
    return run_requests(dataset, *(chosen[name] for name in ("attributes", "judges", "prompts")), chosen=chosen)


def preview_runs(dataset: Dataset, form: RunForm, *, user: User) -> RunsPreview:
    """Preview the chosen runs. Raises Refused with every problem of every run."""
    requests, sizes = chosen_runs(dataset, form), RunSizes()
    checked_specs(requests, sizes=sizes)
    judges, attributes, prompts = (list(form.cleaned_data[name]) for name in ("judges", "attributes", "prompts"))
    begun = [find_run(request, owner=user) for request in requests]
    asked = [
        sizes.size_of(request).comparisons - (sum(count_outcomes(run).values()) if run else 0)
        for request, run in zip(requests, begun, strict=True)
    ]
    return RunsPreview(
        judges=judges,
        prompts=[
            prompt_preview(one, sizes.size_of(one), total=sum(asked[place :: len(prompts)]))
            for place, one in enumerate(requests[: len(prompts)])
        ],
        attributes=len(attributes),
        estimates=estimates_by_judge(zip(requests, asked, strict=True), known=Run.objects.visible_to(user)),
        warnings=[*dict.fromkeys(filter(None, length_warnings(requests))), *pauses_of(judges, user.pk)],
        generation=requests[0].generation,
        needless_tie=is_tie_needless(form),
        criteria=form.cleaned_data["metrics"],
        begun=[run for run in begun if run],
    )


def is_tie_needless(form: RunForm) -> bool:
    if not any(prompt.offers_tie for prompt in form.cleaned_data["prompts"]):
        return False
    ties = Vote.objects.in_figures().filter(attribute__in=form.cleaned_data["attributes"], choice=VoteChoice.TIE)
    return not ties.exists()


def prompt_preview(request: RunRequest, size: PlanSize, *, total: int) -> PromptPreview:
    """Preview the runs with one prompt."""
    return PromptPreview(
        prompt=request.prompt,
        noun="score" if request.is_scoring else "comparison",
        size=size,
        total=total,
        example=prompt_example(prompt_text(request.prompt), request.attribute, metrics=request.criteria),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def run_new(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Preview runs, and start them once these settings were previewed.

    In the address: `like` is the id of a run whose settings fill the form, `only` the contexts that are asked about.
    """
    dataset = visible_dataset(request, dataset_id)
    like = Run.objects.visible_to(request.user).filter(dataset=dataset, pk=number_in(request, "like")).first()
    form = RunForm(dataset, request.POST or None, initial=initial_of(request, like))
    installation = read_installation(settings.DATA_DIR)
    context: dict[str, object] = {"dataset": dataset, "form": form, "installation": installation}
    if request.method == "POST" and form.is_valid():
        try:
            if "start" in request.POST and request.POST.get("shown") == form.digest():
                return start_runs(request, dataset, form)
            context |= {"preview": preview_runs(dataset, form, user=request.user), "shown": form.digest()}
        except Refused as refused:
            form.add_error(None, list(refused.problems))
    return render(request, "judging/runs/new.html", context)


def number_in(request: SignedInRequest, name: str) -> int:
    """Return a number from the address, or 0, which is the id of no row."""
    text = request.GET.get(name, "")
    return int(text) if is_id(text) else 0


def initial_of(request: SignedInRequest, like: Run | None) -> dict[str, object]:
    """Return the initial values of the form. like: a run to copy."""
    copied = initial_of_copy(like) if like else {}
    return copied | ({"only": request.GET["only"]} if "only" in request.GET else {})


def initial_of_copy(run: Run) -> dict[str, object]:
    """Return a run's settings as initial values of the form, with the newest version of its prompt."""
    newest = Prompt.objects.newest().filter(name=run.prompt.name) if run.prompt else Prompt.objects.none()
    return {
        "attributes": [run.attribute_id],
        "judges": [run.judge_id],
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
        "bound": run.bound,
        "anchor": run.anchor,
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
        "cut_thinking": "read" if run.thinking.reads_cut else "unparsed",
    }


def start_runs(request: SignedInRequest, dataset: Dataset, form: RunForm) -> HttpResponseRedirect:
    """Start or continue one run for each judge, prompt and attribute, or none if one is refused."""
    runs = create_or_continue_all(chosen_runs(dataset, form), owner=request.user)
    for run in runs:
        tasks.start_run(run.pk)
    if len(runs) > 1:
        for warning in warnings_of(runs):
            messages.warning(request, warning)
        messages.success(request, f"{len(runs)} runs queued, one for each judge, prompt and attribute.")
        return redirect(f"{reverse('run-list')}?dataset={dataset.pk}")
    return redirect(runs[0])
