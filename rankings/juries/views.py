"""The page of a dataset's juries."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from evenhand.refusals import Refused
from judging.models.runs import ACTIVE_STATUSES
from judging.web.form_fields import add_problems_to_fields
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset, visible_runs
from rankings.juries.forms import JuryForm
from rankings.juries.jury_page import jury_sections
from rankings.juries.new_juries import jury_settings
from rankings.juries.stored_juries import Jury, make_jury


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def dataset_juries(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """List the juries of a dataset. A POST makes another and opens its results."""
    dataset = visible_dataset(request, dataset_id)
    runs = list(visible_runs(request).ordinary().filter(dataset=dataset, is_scoring=False).order_by("attribute", "pk"))
    offered = [run for run in runs if run.status not in ACTIVE_STATUSES]
    form = JuryForm(request.POST if request.method == "POST" else None, runs=offered)
    if request.method == "POST":
        try:
            jury = make_jury(request.user, **jury_settings(dataset, form.sent, user=request.user))
        except Refused as refused:
            add_problems_to_fields(form, refused.problems)
        else:
            messages.success(request, made_sentence(jury))
            return redirect("run-results", jury.run.pk)
    context = {"dataset": dataset, "form": form, "sections": jury_sections(runs), "n_offered": len(offered)}
    return render(request, "rankings/juries/juries.html", context)


def made_sentence(jury: Jury) -> str:
    left_out = (
        f" {jury.partly_answered:,} that only some members answered are not in it." if jury.partly_answered else ""
    )
    return f"The jury answered {jury.comparisons:,} comparisons.{left_out}"
