"""Studies of existing runs: collecting runs into a study, and taking one out."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from evenhand.units import counted
from judging.forms.studies import CollectFilterForm
from judging.services.studies.study_changes import add_runs, create_study, remove_run
from judging.web.form_fields import is_id, telling_refusals
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import changeable_study, visible_run, visible_runs

MOST_COLLECTED = 500


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def study_collect(request: SignedInRequest, study_id: int) -> HttpResponse:
    """Choose existing runs, and add them to the study."""
    study = changeable_study(request, study_id)
    form = CollectFilterForm(request.user, request.GET)
    runs = visible_runs(request).ordinary().exclude(memberships__study=study).filter(**form.active_filters())
    if request.method == "POST":
        chosen = [*filter(is_id, request.POST.getlist("run"))]
        if "all" in request.POST:
            chosen = [str(run.pk) for run in runs[:MOST_COLLECTED]]
        number = add_runs(study, visible_runs(request).filter(pk__in=chosen).order_by("pk"))
        messages.success(request, f"{counted(number, 'run')} added.")
        return redirect("study-runs", study.pk)
    context = {
        "study": study,
        "form": form,
        "filtered": bool(form.active_filters()),
        "runs": runs.with_progress()[:MOST_COLLECTED],
        "number": runs.count(),
        "most": MOST_COLLECTED,
    }
    return render(request, "judging/studies/collect.html", context)


@require_POST
@researchers_only
def study_remove_run(request: SignedInRequest, study_id: int, run_id: int) -> HttpResponse:
    """Take a run out of the study. The run stays."""
    study, run = changeable_study(request, study_id), visible_run(request, run_id)
    with telling_refusals(request):
        remove_run(study, run)
        messages.success(request, f"Run {run.pk} removed from the study. The run itself stays.")
    return redirect("study-runs", study.pk)


@require_POST
@researchers_only
def study_create_from_runs(request: SignedInRequest) -> HttpResponse:
    """Create a study without a plan, and choose its runs next."""
    with telling_refusals(request):
        return redirect("study-collect", create_study(request.POST.get("name", ""), owner=request.user).pk)
    return redirect("study-list")
