"""The page of stopping when sure."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evenhand.refusals import Refused
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_comparing_run
from rankings.stopping.forms import StoppingForm
from rankings.stopping.stopping_page import stopping_sentence, stopping_table
from rankings.stopping.stopping_report import stopping_report


@require_safe
@researchers_only
def run_stopping(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Show what stopping when sure would have saved a run, or did save."""
    run = visible_comparing_run(request, run_id)
    form = StoppingForm(request.GET, dataset=run.dataset)
    context: dict[str, object] = {"run": run, "form": form}
    try:
        report = stopping_report(run, form.choice)
    except Refused as refused:
        context |= {"problems": refused.problems}
    else:
        context |= {"report": report, "sentence": stopping_sentence(report)}
        context |= {"table": stopping_table(report, request.GET)} if report.bounds else {}
    return render(request, "rankings/stopping/stopping.html", context)
