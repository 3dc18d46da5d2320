"""The pages of human judgments of a dataset, also as a part of the dataset's own page."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset
from rankings.datasets.human_judgments import human_judgments


@require_safe
@researchers_only
def dataset_human_judgments(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Show scores and agreement of people. With `part` in the address, return only the fragment."""
    dataset = visible_dataset(request, dataset_id)
    name = "_human_judgments" if "part" in request.GET else "human_judgments"
    context = {"dataset": dataset, "judgments": human_judgments(dataset)}
    return render(request, f"rankings/datasets/{name}.html", context)
