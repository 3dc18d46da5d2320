"""The page of a dataset's repeatability."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evenhand.refusals import Refused
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset, visible_runs
from rankings.repeats.forms import RepeatsForm
from rankings.repeats.repeatability_page import repeatability_sentence, repeatability_table
from rankings.repeats.repeatability_report import repeatability_of, repeatability_report


@require_safe
@researchers_only
def dataset_repeatability(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Show how repeatable each judge is that was asked the same questions again."""
    dataset = visible_dataset(request, dataset_id)
    runs = visible_runs(request).filter(dataset=dataset)
    form = RepeatsForm(request.GET, runs=runs)
    try:
        report = repeatability_of(form.runs) if form.runs else repeatability_report(dataset, runs)
    except Refused as refused:
        form.add_error("run", list(refused.problems))
        report = repeatability_report(dataset, runs)
    context = {
        "dataset": dataset,
        "form": form,
        "report": report,
        "sentence": repeatability_sentence(report),
        "table": repeatability_table(report, request.GET),
    }
    return render(request, "rankings/repeats/repeatability.html", context)
