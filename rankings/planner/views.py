"""The page of the planner."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evenhand.refusals import Refused
from judging.models import Campaign, Run
from judging.web.form_fields import add_problems_to_fields
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset
from rankings.planner.forms import PlannerForm
from rankings.planner.plan_sentence import describe_plan, note_on_plan
from rankings.planner.vote_plan import VotePlan, vote_plan


@require_safe
@researchers_only
def dataset_planner(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Show how many pairs, votes and people a wanted interval or difference needs."""
    dataset = visible_dataset(request, dataset_id)
    form = PlannerForm(dataset, Run.objects.visible_to(request.user), request.GET or None)
    plan = _plan(form) if form.is_bound else _plan(PlannerForm(dataset, Run.objects.visible_to(request.user), {}))
    sentence, note = (describe_plan(plan), note_on_plan(plan)) if plan else ("", "")
    chosen = form.cleaned_data.get("campaign") if form.is_bound else None
    editable = Campaign.objects.editable_by(request.user).filter(pk=chosen.pk).first() if chosen else None
    return render(
        request,
        "rankings/planner/planner.html",
        {"dataset": dataset, "form": form, "plan": plan, "sentence": sentence, "note": note, "editable": editable},
    )


def _plan(form: PlannerForm) -> VotePlan | None:
    choice = form.choice()
    try:
        return vote_plan(choice) if choice else None
    except Refused as refused:
        add_problems_to_fields(form, refused.problems)
        return None
