"""The diagnostics of a run, and the same to take home."""

from __future__ import annotations

import json

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.models import Run
from judging.web.downloads import attachment
from judging.web.role_checks import SignedInRequest, researchers_only
from rankings.diagnostics.diagnostics_page import page_of
from rankings.diagnostics.diagnostics_report import diagnostics_of
from rankings.diagnostics.diagnostics_row import Diagnostics
from rankings.report.report_json import as_json
from rankings.report.views import visible_run


@require_safe
@researchers_only
def run_diagnostics(request: SignedInRequest, run_id: int) -> HttpResponse:
    run = visible_run(request, run_id)
    return render(request, "rankings/diagnostics/diagnostics.html", {"run": run} | page_of(diagnostics(request, run)))


@require_safe
@researchers_only
def run_diagnostics_download(request: SignedInRequest, run_id: int) -> HttpResponseBase:
    """What the page shows, all of it and in full precision."""
    run = visible_run(request, run_id)
    document = json.dumps(as_json(diagnostics(request, run)), ensure_ascii=False, allow_nan=False)
    return attachment([document], name=f"run-{run.pk}-diagnostics.json")


def diagnostics(request: SignedInRequest, run: Run) -> Diagnostics:
    """Beside the run stand the judges whose runs this person may see."""
    visible = Run.objects.visible_to(request.user).filter(attribute=run.attribute_id)
    return diagnostics_of(run, beside=visible.order_by("pk"))
