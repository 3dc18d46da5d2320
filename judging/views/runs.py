"""Runs: the list, one run with its progress, cancelling and resuming."""

import json

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import trigger_client_event

from judging import tasks
from judging.forms.option_form import OptionForm
from judging.forms.runs import RunFilterForm
from judging.models import Run
from judging.services.deletion.row_deletion import may_delete
from judging.services.execution.reasoning import evaluation_steps
from judging.services.exports.answer_descriptions import describe_answers
from judging.services.judges.package_installation import installation_for
from judging.services.plans.added_sentences import choose_sentence
from judging.services.runs import run_lifecycle as service
from judging.services.runs.progress import progress
from judging.services.runs.run_request import robustness_request
from judging.web.form_fields import telling_refusals
from judging.web.paging import page_of, query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_run, visible_runs

RUNS_PER_PAGE = 50
AGAIN = {"errors": "errors", "unparsed": "unparsed answers"}


@require_safe
@researchers_only
def run_list(request: SignedInRequest) -> HttpResponse:
    form = RunFilterForm(request.user, request.GET)
    runs = visible_runs(request).with_progress().filter(**form.active_filters())
    context = {
        "form": form,
        "filtered": bool(form.active_filters()),
        "page_obj": page_of(request, Paginator(runs, RUNS_PER_PAGE)),
        "query": query_without_page(request),
    }
    return render(request, "judging/runs/list.html", context)


@require_safe
@researchers_only
def run_detail(request: SignedInRequest, run_id: int) -> HttpResponse:
    run = visible_run(request, run_id)
    context = progress_context(run) | {
        "may_delete": may_delete(run, request.user),
        "reading": describe_answers(run),
        "steps": evaluation_steps(run),
        "spec": json.dumps(run.spec, indent=2, ensure_ascii=False),
        "environment": json.dumps(run.environment, indent=2, ensure_ascii=False) if run.environment else "",
    }
    return render(request, "judging/runs/detail.html", context)


@require_safe
@never_cache
@researchers_only
def run_progress(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Render the parts of a run's page that change while it runs. The last time, its headline is asked for too."""
    run = visible_run(request, run_id)
    response = render(request, "judging/runs/_progress_parts.html", progress_context(run))
    return response if run.is_active else trigger_client_event(response, "run-ended")


def progress_context(run: Run) -> dict[str, object]:
    """Return what the changing part of a run's page shows."""
    so_far = progress(run)
    return {
        "run": run,
        "progress": so_far,
        "installation": installation_for(run.judge, data=settings.DATA_DIR),
        "workers_are_busy": so_far.stale and tasks.has_busy_worker(run.judge),
    }


@require_POST
@researchers_only
def run_cancel(request: SignedInRequest, run_id: int) -> HttpResponse:
    run = visible_run(request, run_id)
    if service.cancel(run):
        messages.success(request, f"Run {run.pk} cancelled. Its answers stay, and it can be resumed.")
    else:
        messages.info(request, f"Run {run.pk} had already ended.")
    return redirect(run)


@require_POST
@researchers_only
def run_with_sentence(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Start a run like this one with a sentence added to one candidate of each pair."""
    run = visible_run(request, run_id)
    with telling_refusals(request):
        chosen = OptionForm(request, choose_sentence).values()
        chosen["sentence"] = None if chosen["text"].strip() else chosen["sentence"]
        sentence = choose_sentence(run.dataset, **chosen)
        [started] = service.create_runs([robustness_request(run, sentence)], owner=request.user)
        tasks.start_run(started.pk)
        return redirect(started)
    return redirect("run-robustness", run.pk)


@require_POST
@researchers_only
def run_resume(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Resume a run. With `errors` or `unparsed` in the form, these answers are asked again too."""
    run = visible_run(request, run_id)
    with telling_refusals(request):
        again = OptionForm(request, service.resume).values()
        service.resume(run, **again)
        tasks.start_run(run.pk)
        chosen = [noun for name, noun in AGAIN.items() if again[name]]
        asked = f"its {' and '.join(chosen)} are asked again" if chosen else "only unanswered questions are asked"
        messages.success(request, f"Run {run.pk} resumed: {asked}.")
    return redirect(run)
