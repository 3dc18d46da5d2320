"""The page of style control."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evenhand.refusals import Refused
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_run
from rankings.style.style_page import effects_table, style_sentence, styled_systems_table
from rankings.style.style_report import style_report


@require_safe
@researchers_only
def run_style(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Show the effects of length and Markdown on a run, and its ranking of systems with style held fixed."""
    run = visible_run(request, run_id)
    context: dict[str, object] = {"run": run}
    try:
        report = style_report(run)
    except Refused as refused:
        context |= {"problems": refused.problems}
    else:
        context |= {"sentence": style_sentence(report), "report": report}
        context |= {"effects": effects_table(report, request.GET), "systems": styled_systems_table(report, request.GET)}
    return render(request, "rankings/style/style.html", context)
