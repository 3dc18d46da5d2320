"""The page of a run's diagnostics, and its download."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.models import Run
from judging.web.downloads import attachment
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_run, visible_runs
from rankings.charts.chart_files import chart_file
from rankings.diagnostics.diagnostics_page import diagnostics_content
from rankings.diagnostics.diagnostics_report import diagnostics_of
from rankings.diagnostics.diagnostics_row import Diagnostics, diagnostics_long_form
from rankings.report.forms import LeftOutForm
from rankings.report.report_json import json_document
from rankings.tables.long_form import long_attachment


@require_safe
@researchers_only
def run_diagnostics(request: SignedInRequest, run_id: int) -> HttpResponseBase:
    run = visible_run(request, run_id)
    form = LeftOutForm(request.GET, dataset=run.dataset)
    report = diagnostics(request, run, form)
    content = diagnostics_content(report, request.GET)
    if file := chart_file(request, content["reliability_chart"], content["joint_chart"]):
        return file
    context = {"run": run, "form": form, "without": report.without, "query": request.GET.urlencode()} | content
    return render(request, "rankings/diagnostics/diagnostics.html", context)


@require_safe
@researchers_only
def run_diagnostics_download(request: SignedInRequest, run_id: int) -> HttpResponseBase:
    """Download the figures of the page, in full precision."""
    return attachment([json_document(downloaded(request, run_id))], name=f"run-{run_id}-diagnostics.json")


@require_safe
@researchers_only
def run_diagnostics_long(request: SignedInRequest, run_id: int, ending: str) -> HttpResponseBase:
    """Download the figures of the page, one per line."""
    lines = diagnostics_long_form(downloaded(request, run_id))
    return long_attachment(lines, name=f"run-{run_id}-diagnostics", ending=ending)


def downloaded(request: SignedInRequest, run_id: int) -> Diagnostics:
    """Return the diagnostics of a run. Raises Http404 for unknown systems and contexts."""
    run = visible_run(request, run_id)
    form = LeftOutForm(request.GET, dataset=run.dataset)
    form.require_known_names()
    return diagnostics(request, run, form)


def diagnostics(request: SignedInRequest, run: Run, form: LeftOutForm) -> Diagnostics:
    """Return the diagnostics of a run without what the form leaves out.

    The run's judge is fitted together with those of the visible runs.
    """
    runs = visible_runs(request).ordinary().filter(attribute=run.attribute_id).order_by("pk")
    return diagnostics_of(run, runs=runs, exclusion=form.exclusion)
