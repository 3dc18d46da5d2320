"""Choosing the runs of a study: of a new one, or more runs for one. Their table shows while one chooses."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from evenhand.refusals import Refused
from evenhand.units import counted
from judging.forms.runs import RunFilterForm
from judging.models import Run, Study
from judging.services.studies.study_changes import add_runs, create_study
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import changeable_study, visible_runs, visible_study_runs
from rankings.studies.forms import PivotForm, subset_choices
from rankings.studies.pivots.pivot_figures import pivot_figure
from rankings.studies.pivots.pivot_source import parts_of_runs
from rankings.studies.pivots.pivot_table import figure_title
from rankings.studies.study_page import study_table, why_empty
from rankings.tables.figure_table import figure_table

MOST_OFFERED = 500


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def study_new(request: SignedInRequest) -> HttpResponse:
    """Make a study of existing runs. In the address, `run` and `all` name those that are ticked at first."""
    return runs_to_choose(request, Study())


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def study_collect(request: SignedInRequest, study_id: int) -> HttpResponse:
    """Add existing runs to a study."""
    return runs_to_choose(request, changeable_study(request, study_id))


def runs_to_choose(request: SignedInRequest, study: Study) -> HttpResponse:
    """List the runs that match the filters of the address, draw the table of those chosen, or save them."""
    form = RunFilterForm(request.user, request.GET)
    own = list(visible_study_runs(request, study)) if study.pk else []
    runs = visible_runs(request).ordinary().filter(**form.active_filters()).exclude(pk__in=[run.pk for run in own])
    listed = list(runs.with_progress()[:MOST_OFFERED])
    sent = request.POST if request.method == "POST" else request.GET
    chosen = [run for run in listed[::-1] if "all" in sent or str(run.pk) in sent.getlist("run")]
    if "table" in request.POST:
        return render(request, "rankings/studies/_new_table.html", table_of([*own, *chosen], study))
    if request.method == "POST":
        try:
            return redirect(saved(request, study, chosen))
        except Refused as refused:
            for problem in refused.problems:
                messages.error(request, problem)
    context = {
        "study": study,
        "form": form,
        "runs": listed,
        "number": runs.count(),
        "chosen": {run.pk for run in chosen},
        "name": request.POST.get("name", ""),
    } | table_of([*own, *chosen], study)
    return render(request, "rankings/studies/choose.html", context)


def saved(request: SignedInRequest, study: Study, chosen: Sequence[Run]) -> Study:
    """Add the chosen runs to a study, or create it of these. Raises Refused without any."""
    if not chosen:
        raise Refused("run: choose at least one run")
    if study.pk is None:
        return create_study(request.POST.get("name", ""), owner=request.user, runs=chosen)
    messages.success(request, f"{counted(add_runs(study, chosen), 'run')} added.")
    return study


def table_of(runs: Sequence[Run], study: Study) -> dict[str, object]:
    """Return the usual table of some runs, as the study's page would show it, and why it is empty."""
    if not runs:
        return {}
    form = PivotForm(QueryDict(), study=study, runs=runs, subsets=subset_choices(study, runs))
    drawn = study_table(parts_of_runs(runs, form.choice), form.choice)
    table = figure_table(drawn.table, label="Table of the study", sort=drawn.sort, style=drawn.style)
    title = figure_title(pivot_figure(form.choice.figure), form.choice).rstrip(".")
    return {"table": table, "title": title, "why_empty": why_empty(drawn.table)}
