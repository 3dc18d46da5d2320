"""The page of anchors."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evenhand.refusals import Refused
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_comparing_run
from rankings.anchors.anchor_page import anchor_sentence, anchor_table, spread_table
from rankings.anchors.anchor_report import anchor_report
from rankings.anchors.forms import AnchorForm


@require_safe
@researchers_only
def run_anchors(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Show how much the choice of one anchor would change the ranking of a run."""
    run = visible_comparing_run(request, run_id)
    form = AnchorForm(request.GET, dataset=run.dataset)
    context: dict[str, object] = {"run": run, "form": form, "query": request.GET.urlencode()}
    try:
        report = anchor_report(run, form.choice)
    except Refused as refused:
        context |= {"problems": refused.problems}
    else:
        context |= {"sentence": anchor_sentence(report), "table": anchor_table(report, request.GET)}
        context |= {"spread": spread_table(report, request.GET)}
    return render(request, "rankings/anchors/anchors.html", context)
