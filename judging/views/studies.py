"""Studies: the list, the runs of one, its name and groups, and cancelling and resuming its runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evenhand.refusals import Refused
from evenhand.units import counted
from judging import tasks
from judging.forms.studies import StudyForm
from judging.models import Study, User
from judging.services.names import labels
from judging.services.studies.study_changes import (
    cancel_runs,
    delete_study,
    remove_run,
    rename_study,
    resume_runs,
    set_groups,
    set_parts,
)
from judging.services.studies.study_progress import RunState, StudyProgress, study_progress
from judging.web.form_fields import add_problems_to_fields, telling_refusals
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import changeable_study, visible_run, visible_study, visible_study_runs

ASKED_AGAIN = {"errors": "errors", "unparsed": "unparsed answers"}


@dataclass(frozen=True, slots=True)
class StudyPage:
    """A study with its runs. rows: of each run, with names that tell datasets and judges apart.

    hidden: runs that this person may not see.
    """

    study: Study
    progress: StudyProgress
    rows: Sequence[tuple[RunState, str, str]]
    hidden: int
    may_change: bool


@require_safe
@researchers_only
def study_list(request: SignedInRequest) -> HttpResponse:
    studies = Study.objects.visible_to(request.user).with_counts().select_related("owner")
    return render(request, "judging/studies/list.html", {"studies": studies})


@require_safe
@researchers_only
def study_runs(request: SignedInRequest, study_id: int) -> HttpResponse:
    page = study_page(request, visible_study(request, study_id))
    context = {"page": page, "study": page.study, "query": request.GET.urlencode()}
    return render(request, "judging/studies/runs.html", context)


@require_safe
@never_cache
@researchers_only
def study_progress_part(request: SignedInRequest, study_id: int) -> HttpResponse:
    """Render the part of a study's page that changes while its runs go on."""
    page = study_page(request, visible_study(request, study_id))
    return render(request, "judging/studies/_progress.html", {"page": page, "study": page.study})


@require_POST
@researchers_only
def study_cancel(request: SignedInRequest, study_id: int) -> HttpResponse:
    """Cancel the study's queued and running runs. Runs of other people stay."""
    study = changeable_study(request, study_id)
    cancelled = cancel_runs(list(visible_study_runs(request, study).active()))
    messages.success(
        request, f"{counted(len(cancelled), 'run')} cancelled. Their answers stay, and they can be resumed."
    )
    return redirect("study-runs", study.pk)


@require_POST
@researchers_only
def study_resume(request: SignedInRequest, study_id: int) -> HttpResponse:
    """Resume failed and cancelled runs. With `errors` or `unparsed` in the form, these answers are asked again too."""
    study = changeable_study(request, study_id)
    again = {name: name in request.POST for name in ASKED_AGAIN}
    with telling_refusals(request):
        runs = list(visible_study_runs(request, study))
        resumed = resume_runs(runs, errors=again["errors"], unparsed=again["unparsed"])
        for run in resumed:
            tasks.start_run(run.pk)
        chosen = " and ".join(text for name, text in ASKED_AGAIN.items() if again[name])
        asked = f", {chosen} are asked again" if chosen else ""
        messages.success(request, f"{counted(len(resumed), 'run')} resumed{asked}.")
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
    context = {"study": study, "form": form, "run_count": number}
    return render(request, "judging/studies/edit.html", context)


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
def study_delete(request: SignedInRequest, study_id: int) -> HttpResponse:
    """Delete the study. Its runs stay."""
    study = changeable_study(request, study_id)
    delete_study(study)
    messages.success(request, f'Study "{study.name}" deleted. Its runs stay.')
    return redirect("study-list")


@transaction.atomic
def save_study(study: Study, form: StudyForm, user: User) -> None:
    """Store the values of a valid form. Raises Refused with the problems of name or groups."""
    rename_study(study, form.cleaned_data["name"], user=user)
    set_groups(study, form.cleaned_data["groups"])
    set_parts(study, part=form.cleaned_data["part"], chosen_in=form.cleaned_data["chosen_in"])
    study.description = form.cleaned_data["description"].strip()
    study.save(update_fields=["description"])


def study_page(request: SignedInRequest, study: Study) -> StudyPage:
    """Gather a study's runs."""
    runs = list(visible_study_runs(request, study))
    datasets, judges = labels(run.dataset for run in runs), labels(run.judge for run in runs)
    progress = study_progress(runs)
    return StudyPage(
        study,
        progress=progress,
        rows=[(one, datasets[one.run.dataset_id], judges[one.run.judge_id]) for one in progress.runs],
        hidden=study.memberships.count() - len(progress.runs),
        may_change=Study.objects.changeable_by(request.user).filter(pk=study.pk).exists(),
    )
