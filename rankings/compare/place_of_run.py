"""The place of a run among the others, as a part of its results."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_run, visible_runs
from rankings.compare.all_runs import MOST_RUNS, compare_all
from rankings.compare.all_runs_page import place_sentence


@require_safe
@researchers_only
def run_place(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Return the place of a run among all runs of its attribute, as a part of its results."""
    run = visible_run(request, run_id)
    others = visible_runs(request).ordinary().filter(attribute=run.attribute).exclude(pk=run.pk).order_by("-pk")
    runs = [run, *others[: MOST_RUNS - 1]]
    sentence = place_sentence(compare_all(runs), run.pk) if len(runs) > 1 and not run.asks_null_pairs else ""
    return render(request, "rankings/compare/_place.html", {"run": run, "sentence": sentence})
