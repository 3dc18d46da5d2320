"""Planning a study: a new one, or further values of one, with the combinations counted while they are chosen."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from evenhand.refusals import Refused
from judging.forms.studies import ExtendStudyForm, NewStudyForm, StudyPlanForm
from judging.models import Dataset, Judge, Study, User
from judging.services.runs.run_estimates import RunsEstimate
from judging.services.studies.study_cells import new_run_estimates, new_run_warnings, plan_cells
from judging.services.studies.study_changes import create_study
from judging.services.studies.study_plan import StudyPlan, comparing_prompts, merged_names, names_in_plans, shown_plan
from judging.services.studies.study_progress import StudyGrid, study_grid
from judging.services.studies.study_start import extend_plan, names_of_plan, plan_of, set_plan
from judging.views.new_run import number_in
from judging.views.studies import ImpossibleGroup, impossible_groups
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import changeable_study

NOTHING_NEW = "Nothing new is chosen: add a dataset, attribute, judge, method, prompt, selection or seed."
LABELS = {
    "metrics": "Self-generated criteria",
    "without_system": "Systems left out",
    "without_context": "Contexts left out",
}


@dataclass(frozen=True, slots=True)
class PlanFact:
    """One line of a plan."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class PlanPreview:
    """The combinations of a plan. states: number by state. questions: comparisons and scores of the new runs."""

    grid: StudyGrid
    states: Counter[str]
    questions: int
    impossible: Sequence[ImpossibleGroup]
    estimates: Sequence[RunsEstimate]


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def study_new(request: SignedInRequest) -> HttpResponse:
    """Plan a study. In the address, `dataset` is the id of a chosen one; `methods=comparing` chooses their prompts."""
    form = NewStudyForm(request.user, request.POST or None, initial=initial_of_address(request))
    recorded = Judge.objects.visible_to(request.user).filter(backend=Judge.Backend.RECORDED)
    context: dict[str, object] = {"form": form, "recorded": recorded.order_by("name", "pk")}
    if request.method == "POST" and form.is_valid():
        try:
            if "create" in request.POST:
                study = create_planned(form, request.user)
                warn_before_start(request, study)
                messages.success(request, "Study created. Nothing runs yet: check the estimate, then start it.")
                return redirect("study-runs", study.pk)
            context["preview"] = preview_plan(form.plan_names(), request.user)
        except Refused as refused:
            form.add_problems(refused.problems)
    return render(request, "judging/studies/new.html", context)


@require_POST
@researchers_only
def study_cells(request: SignedInRequest) -> HttpResponse:
    """Render the combinations of a plan while it is chosen."""
    return preview_part(request, StudyPlanForm(request.user, request.POST))


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def study_extend(request: SignedInRequest, study_id: int) -> HttpResponse:
    """Add values to a study's plan."""
    study = changeable_study(request, study_id)
    form = ExtendStudyForm(request.user, request.POST or None)
    plan = shown_plan(names_of_plan(study), names_in_plans(request.user))
    context: dict[str, object] = {"form": form, "study": study, "plan": plan_facts(plan)}
    if request.method == "POST" and form.is_valid():
        try:
            names = names_of_plan(study)
            wanted = merged_names(names, form.plan_names())
            if "create" in request.POST and wanted == names:
                raise Refused(NOTHING_NEW)
            if "create" in request.POST:
                extend_plan(study, form.plan_names(), user=request.user)
                warn_before_start(request, study)
                messages.success(request, "Plan extended. Check the estimate, then start the new runs.")
                return redirect("study-runs", study.pk)
            context["preview"] = preview_plan(wanted, request.user, study)
        except Refused as refused:
            form.add_problems(refused.problems)
    return render(request, "judging/studies/extend.html", context)


@require_POST
@researchers_only
def study_extend_cells(request: SignedInRequest, study_id: int) -> HttpResponse:
    """Render the combinations of an extended plan while it is chosen."""
    return preview_part(request, ExtendStudyForm(request.user, request.POST), changeable_study(request, study_id))


def preview_part(request: SignedInRequest, form: StudyPlanForm, study: Study | None = None) -> HttpResponse:
    """Render the combinations, or why there are none. study: the study whose plan the form extends."""
    context: dict[str, object] = {}
    if form.is_valid():
        names = form.plan_names()
        try:
            context["preview"] = preview_plan(
                names if study is None else merged_names(names_of_plan(study), names), request.user, study
            )
        except Refused as refused:
            context["problems"] = refused.problems
    else:
        context |= {"to_choose": to_choose(form), "problems": problems_of_choice(form)}
    return render(request, "judging/studies/_preview.html", context)


def to_choose(form: StudyPlanForm) -> list[str]:
    """Return the titles of required fields that are still empty."""
    return [title_of(form, name).lower() for name in form.errors if form.has_error(name, "required")]


def problems_of_choice(form: StudyPlanForm) -> list[str]:
    """Return the first problem of each field that is filled in."""
    return [
        f"{title_of(form, name)}: {errors[0]}"
        for name, errors in form.errors.items()
        if not form.has_error(name, "required")
    ]


def title_of(form: StudyPlanForm, name: str) -> str:
    """Return the title of a field."""
    return str(form[name].label)


def preview_plan(names: dict[str, Any], user: User, study: Study | None = None) -> PlanPreview:
    """Count the combinations of a plan. Raises Refused with every problem."""
    cells = plan_cells(StudyPlan.by_names(names, user=user), user=user, study=study)
    return PlanPreview(
        grid=study_grid((), cells),
        states=Counter(cell.state for cell in cells),
        questions=sum(cell.questions for cell in cells if cell.state == "new"),
        impossible=impossible_groups(cells),
        estimates=new_run_estimates(cells, user=user),
    )


def plan_facts(names: dict[str, Any]) -> list[PlanFact]:
    """Return the values of a plan by names as lines. Values that it lacks are left out."""
    return [
        PlanFact(LABELS.get(name, name.replace("_", " ").capitalize()), _plan_text(name, value))
        for name, value in names.items()
        if value
    ]


def _plan_text(name: str, value: object) -> str:
    if name == "contexts":
        return f"the first {value}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def warn_before_start(request: SignedInRequest, study: Study) -> None:
    """Say how many prompts of the study's new runs are too long for their judge, before it starts."""
    for warning in new_run_warnings(
        plan_cells(plan_of(study, user=request.user), user=request.user, study=study), user=request.user
    ):
        messages.warning(request, warning)


@transaction.atomic
def create_planned(form: NewStudyForm, user: User) -> Study:
    """Create the study of a valid form with its plan. Raises Refused with every problem."""
    plan = StudyPlan.by_names(form.plan_names(), user=user)
    study = create_study(form.cleaned_data["name"], owner=user, description=form.cleaned_data["description"])
    set_plan(study, plan)
    return study


def initial_of_address(request: SignedInRequest) -> dict[str, object]:
    """Return the initial values that the address names."""
    initial: dict[str, object] = {}
    dataset = Dataset.objects.visible_to(request.user).filter(pk=number_in(request, "dataset")).first()
    if dataset is not None:
        initial |= {"datasets": [dataset.pk]}
    if request.GET.get("methods") == "comparing":
        initial |= {"prompts": [prompt.pk for prompt in comparing_prompts()]}
        if dataset is not None:
            initial |= {"name": f"{dataset.name}, all comparing methods"}
    return initial
