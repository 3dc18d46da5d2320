"""Changing a study: collecting runs into it, its name and groups, deleting it."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from evenhand.refusals import Refused
from evenhand.units import counted
from judging.forms.studies import CollectFilterForm, StudyForm
from judging.models import Study, User
from judging.services.studies.study_changes import (
    add_runs,
    create_study,
    delete_study,
    remove_run,
    rename_study,
    set_groups,
    set_parts,
)
from judging.web.form_fields import add_problems_to_fields, is_id, telling_refusals
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import changeable_study, visible_run, visible_runs, visible_study_runs

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


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def study_edit(request: SignedInRequest, study_id: int) -> HttpResponse:
    """Change the study's name, description and groups."""
    study = changeable_study(request, study_id)
    form = StudyForm(request.POST if request.method == "POST" else None, study=study, user=request.user)
    if request.method == "POST" and form.is_valid():
        try:
            save_study(study, form, request.user)
        except Refused as refused:
            renamed = {"group: ": "groups: ", "chosen in: ": "chosen_in: "}
            problems = list(refused.problems)
            for name, field in renamed.items():
                problems = [problem.replace(name, field, 1) for problem in problems]
            add_problems_to_fields(form, problems)
        else:
            messages.success(request, "Saved.")
            return redirect("study-runs", study.pk)
    number = study.memberships.count()
    context = {"study": study, "form": form, "run_count": number, "run_list": visible_study_runs(request, study)}
    return render(request, "judging/studies/edit.html", context)


@require_POST
@researchers_only
def study_delete(request: SignedInRequest, study_id: int) -> HttpResponse:
    """Delete the study. Its runs stay."""
    study = changeable_study(request, study_id)
    delete_study(study)
    messages.success(request, f'Study "{study.name}" deleted. Its runs stay.')
    return redirect("study-list")


@require_POST
@researchers_only
def study_create_from_runs(request: SignedInRequest) -> HttpResponse:
    """Create a study without a plan, and choose its runs next."""
    with telling_refusals(request):
        return redirect("study-collect", create_study(request.POST.get("name", ""), owner=request.user).pk)
    return redirect("study-list")


@transaction.atomic
def save_study(study: Study, form: StudyForm, user: User) -> None:
    """Store the values of a valid form. Raises Refused with the problems of name or groups."""
    rename_study(study, form.cleaned_data["name"], user=user)
    set_groups(study, form.cleaned_data["groups"])
    set_parts(study, part=form.cleaned_data["part"], chosen_in=form.cleaned_data["chosen_in"])
    study.description = form.cleaned_data["description"].strip()
    study.save(update_fields=["description"])
