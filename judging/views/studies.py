"""Studies: the list, the runs of one, its name and groups, and starting, cancelling and resuming its runs."""

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
from judging.forms.studies import CollectFilterForm, StudyForm
from judging.models import Study, User
from judging.services.runs.run_estimates import RunsEstimate
from judging.services.runs.run_lifecycle import warnings_of
from judging.services.studies.study_cells import PlanCell, new_run_estimates, plan_cells
from judging.services.studies.study_changes import (
    add_runs,
    create_study,
    delete_study,
    remove_run,
    rename_study,
    set_groups,
    set_parts,
)
from judging.services.studies.study_progress import StudyGrid, StudyProgress, study_grid, study_progress
from judging.services.studies.study_start import cancel_runs, plan_of, resume_runs, start_study
from judging.web.form_fields import add_problems_to_fields, is_id, telling_refusals
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import changeable_study, visible_run, visible_runs, visible_study, visible_study_runs

ASKED_AGAIN = {"errors": "errors", "unparsed": "unparsed answers"}


@dataclass(frozen=True, slots=True)
class ImpossibleGroup:
    """Combinations that are impossible for the same reason. examples: some of their names."""

    reason: str
    number: int
    examples: Sequence[str]


@dataclass(frozen=True, slots=True)
class StudyPage:
    """A study with its runs and its plan.

    hidden: runs that this person may not see. new: combinations that can be started; 0 for who may not change it.
    problems: why the plan can no longer be read.
    """

    study: Study
    progress: StudyProgress
    grid: StudyGrid
    cells: Sequence[PlanCell]
    problems: Sequence[str]
    hidden: int
    may_change: bool
    estimates: Sequence[RunsEstimate]

    @property
    def new(self) -> int:
        return sum(cell.state == "new" for cell in self.cells)

    @property
    def reused(self) -> int:
        """Number of existing runs that a start adds."""
        return sum(cell.state == "reused" for cell in self.cells)

    @property
    def impossible(self) -> list[ImpossibleGroup]:
        return impossible_groups(self.cells)


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
def study_start(request: SignedInRequest, study_id: int) -> HttpResponse:
    """Start every run that the plan still lacks."""
    study = changeable_study(request, study_id)
    with telling_refusals(request):
        started = start_study(study, user=request.user)
        for run in started.new:
            tasks.start_run(run.pk)
        for warning in warnings_of(started.new):
            messages.warning(request, warning)
        reused = f", {len(started.reused)} reused" if started.reused else ""
        messages.success(request, f"{counted(len(started.new), 'run')} queued{reused}.")
    return redirect("study-runs", study.pk)


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


@transaction.atomic
def save_study(study: Study, form: StudyForm, user: User) -> None:
    """Store the values of a valid form. Raises Refused with the problems of name or groups."""
    rename_study(study, form.cleaned_data["name"], user=user)
    set_groups(study, form.cleaned_data["groups"])
    set_parts(study, part=form.cleaned_data["part"], chosen_in=form.cleaned_data["chosen_in"])
    study.description = form.cleaned_data["description"].strip()
    study.save(update_fields=["description"])


def study_page(request: SignedInRequest, study: Study) -> StudyPage:
    """Gather a study's runs, and the combinations of its plan for those who may change it."""
    may_change = Study.objects.changeable_by(request.user).filter(pk=study.pk).exists()
    cells, problems = planned_combinations(request, study) if may_change and study.plan else ([], ())
    progress = study_progress(list(visible_study_runs(request, study)))
    return StudyPage(
        study,
        progress=progress,
        grid=study_grid(progress.runs, [cell for cell in cells if not cell.problems]),
        cells=cells,
        problems=problems,
        hidden=study.memberships.count() - len(progress.runs),
        may_change=may_change,
        estimates=new_run_estimates(cells, user=request.user),
    )


def planned_combinations(request: SignedInRequest, study: Study) -> tuple[list[PlanCell], Sequence[str]]:
    """Return the combinations of a study's plan, and the problems of a plan whose rows are gone."""
    try:
        return plan_cells(plan_of(study, user=request.user), user=request.user, study=study), ()
    except Refused as refused:
        return [], refused.problems


def impossible_groups(cells: Sequence[PlanCell]) -> list[ImpossibleGroup]:
    """Group impossible combinations by their first reason."""
    by_reason: dict[str, list[str]] = {}
    for cell in cells:
        if cell.problems:
            by_reason.setdefault(cell.problems[0], []).append(", ".join(map(str, cell.key)))
    return [ImpossibleGroup(reason, len(names), names) for reason, names in by_reason.items()]


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
