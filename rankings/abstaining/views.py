"""Asking people about the pairs that a judge is unsure about."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from evenhand.refusals import Refused
from judging.web.options import values_sent
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_run, visible_runs
from rankings.abstaining.abstaining_page import ANALYSIS
from rankings.abstaining.doubtful_campaign import ask_people
from rankings.analyses.views import options_in


@require_POST
@researchers_only
def run_doubtful_campaign(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Create a campaign with the doubtful pairs, and show it."""
    run = visible_run(request, run_id)
    try:
        report = ANALYSIS.answer(
            run, values=values_sent(options_in(ANALYSIS, request.POST)), runs=visible_runs(request)
        )
        campaign = ask_people(run, report, owner=request.user)
    except Refused as refused:
        for problem in refused.problems:
            messages.error(request, problem)
        return redirect("run-abstaining", run.pk)
    messages.success(request, "The campaign is ready. Choose its annotators.")
    return redirect(campaign)
