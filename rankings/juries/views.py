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
from rankings.juries.stored_juries import Jury, make_jury


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def dataset_juries(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """List the juries of a dataset. A POST makes another and opens its results."""
    dataset = visible_dataset(request, dataset_id)
    runs = list(visible_runs(request).ordinary().filter(dataset=dataset, is_scoring=False).order_by("attribute", "pk"))
    form = JuryForm(
        request.POST if request.method == "POST" else None,
        runs=[run for run in runs if run.status not in ACTIVE_STATUSES],
    )
    if form.is_valid():
        try:
            chosen = form.cleaned_data
            jury = make_jury(
                chosen["name"], form.members, by=chosen["by"], owner=request.user, choose_on=chosen.get("choose_on")
            )
        except Refused as refused:
            add_problems_to_fields(form, refused.problems)
        else:
            messages.success(request, made_sentence(jury))
            return redirect("run-results", jury.run.pk)
    context = {"dataset": dataset, "form": form, "sections": jury_sections(runs), "n_offered": len(form.runs)}
    return render(request, "rankings/juries/juries.html", context)


def made_sentence(jury: Jury) -> str:
    left_out = (
        f" {jury.partly_answered:,} that only some members answered are not in it." if jury.partly_answered else ""
    )
    return f"The jury answered {jury.comparisons:,} comparisons.{left_out}"
