"""Start of runs: choose settings, preview size and example, then start exactly these."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from evenhand.refusals import Refused
from judging import tasks
from judging.forms.runs import RunForm
from judging.models import Dataset, Prompt, Run
from judging.services.judges.local_models import read_installation
from judging.services.runs.run_lifecycle import create_or_continue_all, warnings_of
from judging.views.new_run_preview import chosen_runs, preview_runs
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset

MOST_ID_DIGITS = 18  # every database takes them


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
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_ID_DIGITS else 0


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
