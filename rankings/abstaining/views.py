"""The page of a run's abstaining."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from evenhand.refusals import Refused
from judging.models import Run
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_run
from rankings.abstaining.abstaining_page import coverage_chart, coverage_table, doubt_sentence, threshold_sentence
from rankings.abstaining.abstaining_report import Abstaining, abstaining_of, unasked_pairs
from rankings.abstaining.doubtful_campaign import ask_people
from rankings.abstaining.forms import AbstainingForm
from rankings.charts.chart_files import chart_file


@require_safe
@researchers_only
def run_abstaining(request: SignedInRequest, run_id: int) -> HttpResponseBase:
    """Show accuracy against coverage, and the threshold with a guarantee."""
    run = visible_run(request, run_id)
    form = AbstainingForm(request.GET, dataset=run.dataset)
    context = {"run": run, "form": form, "query": request.GET.urlencode()}
    try:
        report = _report(run, form)
    except Refused as refused:
        return render(request, "rankings/abstaining/abstaining.html", context | {"problems": refused.problems})
    chart = coverage_chart(report.measures)
    if file := chart_file(request, chart):
        return file
    context |= {
        "report": report,
        "chosen": form.parameters(),
        "sentence": threshold_sentence(report),
        "doubt": doubt_sentence(report.threshold),
        "n_unasked": len(unasked_pairs(report.threshold)),
        "chart": chart,
        "table": coverage_table(report.measures, request.GET),
    }
    return render(request, "rankings/abstaining/abstaining.html", context)


@require_POST
@researchers_only
def run_doubtful_campaign(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Create a campaign with the doubtful pairs, and show it."""
    run = visible_run(request, run_id)
    try:
        campaign = ask_people(run, _report(run, AbstainingForm(request.POST, dataset=run.dataset)), owner=request.user)
    except Refused as refused:
        for problem in refused.problems:
            messages.error(request, problem)
        return redirect("run-abstaining", run.pk)
    messages.success(request, "The campaign is ready. Choose its annotators.")
    return redirect(campaign)


def _report(run: Run, form: AbstainingForm) -> Abstaining:
    return abstaining_of(run, **form.choice(), exclusion=form.exclusion)
