"""The page of the robustness of a run: its shift, or robustness runs like it and how to start one."""

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evenhand.prompting.steering_sentences import STEERING_SENTENCES, sentence_of_name
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_comparing_run, visible_runs
from rankings.analyses.views import analysis_page
from rankings.steering.shift_report import robustness_runs_of


@require_safe
@researchers_only
def run_robustness(request: SignedInRequest, run_id: int) -> HttpResponseBase:
    """Show how far an added sentence moved the judge; of an ordinary run, its robustness runs and how to start one."""
    run = visible_comparing_run(request, run_id)
    if run.added_sentence:
        return analysis_page(request, "shift", run_id=run_id)
    noun = run.spec.get("wording", {}).get("candidate_noun", "response")
    context = {
        "run": run,
        "robustness_runs": robustness_runs_of(run, visible_runs(request)),
        "can_start": run.prompt is not None and run.judge.can_be_asked,
        "sentences": [(name, sentence_of_name(name, noun)) for name in STEERING_SENTENCES],
    }
    return render(request, "rankings/steering/robustness.html", context)
