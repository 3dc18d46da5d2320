"""The pages of the steering check of a dataset, and of the robustness of a run."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evenhand.prompting.steering_sentences import STEERING_SENTENCES, sentence_of_name
from evenhand.refusals import Refused
from judging.models import Run
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_comparing_run, visible_runs
from rankings.steering.shift_page import shift_rows, shift_sentence
from rankings.steering.shift_report import robustness_runs_of, run_without_sentence, shift_report


@require_safe
@researchers_only
def run_robustness(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Show how far an added sentence moved the judge; of an ordinary run, its robustness runs and how to start one."""
    run = visible_comparing_run(request, run_id)
    context = shift_content(request, run) if run.added_sentence else start_content(request, run)
    return render(request, "rankings/steering/robustness.html", {"run": run} | context)


def shift_content(request: SignedInRequest, run: Run) -> dict[str, object]:
    """Return the shift of a robustness run; or why there is none yet."""
    try:
        report = shift_report(run, run_without_sentence(run, visible_runs(request)))
    except Refused as refused:
        return {"problems": refused.problems}
    return {"report": report, "sentence": shift_sentence(report), "rows": shift_rows(report)}


def start_content(request: SignedInRequest, run: Run) -> dict[str, object]:
    """Return the robustness runs like a run, and the sentences to choose from."""
    noun = run.spec.get("wording", {}).get("candidate_noun", "response")
    return {
        "robustness_runs": robustness_runs_of(run, visible_runs(request)),
        "can_start": run.prompt is not None and run.judge.can_be_asked,
        "sentences": [(name, sentence_of_name(name, noun)) for name in STEERING_SENTENCES],
    }
