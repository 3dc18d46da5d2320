"""The pages that compare two runs, or all runs of an attribute, and their downloads."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.exceptions import Refused
from judging.models import Dataset
from judging.web.downloads import attachment
from judging.web.paging import query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset, visible_runs
from rankings.compare import all_runs_page, two_runs_page
from rankings.compare.all_runs import MOST_RUNS, compare_all
from rankings.compare.forms import ComparedForm, TwoRunsForm
from rankings.compare.two_runs import compare_runs
from rankings.report.report_json import json_document


@require_safe
@researchers_only
def dataset_differences(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Compare two runs on the pairs that both answered."""
    dataset = visible_dataset(request, dataset_id)
    form = two_runs_form(request, dataset)
    context = {"dataset": dataset, "form": form, "query": query_without_page(request)}
    if chosen := form.chosen():
        try:
            context |= two_runs_page.two_runs_content(compare_runs(*chosen, order=form.chosen_order))
        except Refused as refused:
            context |= {"problems": refused.problems}
    return render(request, "rankings/compare/differences.html", context)


@require_safe
@researchers_only
def dataset_differences_download(request: SignedInRequest, dataset_id: int) -> HttpResponseBase:
    """Download the figures of the page with the same address, in full precision."""
    form = two_runs_form(request, visible_dataset(request, dataset_id))
    chosen = form.chosen()
    if chosen is None:
        raise Http404("the address does not name two runs of the dataset")
    try:
        document = json_document(compare_runs(*chosen, order=form.chosen_order))
    except Refused as refused:
        raise Http404(str(refused)) from refused
    return attachment([document], name=f"runs-{chosen[0].pk}-{chosen[1].pk}.json")


@require_safe
@researchers_only
def dataset_groups(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Compare the latest runs of one attribute with each other."""
    dataset = visible_dataset(request, dataset_id)
    form = ComparedForm(request.GET, attributes=list(dataset.attributes.all()))
    context: dict[str, object] = {"dataset": dataset, "form": form, "query": query_without_page(request)}
    runs = visible_runs(request).filter(attribute=form.chosen()).order_by("-pk")
    if len(runs) > 1:
        context |= all_runs_page.all_runs_content(compare_all(list(runs[:MOST_RUNS]), order=form.chosen_order))
        context |= {"all_runs": len(runs), "most_runs": MOST_RUNS}
    return render(request, "rankings/compare/groups.html", context)


@require_safe
@researchers_only
def dataset_groups_download(request: SignedInRequest, dataset_id: int) -> HttpResponseBase:
    """Download the figures of the page with the same address, in full precision."""
    dataset = visible_dataset(request, dataset_id)
    form = ComparedForm(request.GET, attributes=list(dataset.attributes.all()))
    attribute = form.chosen()
    if attribute is None:
        raise Http404("the dataset has no attribute")
    runs = visible_runs(request).filter(attribute=attribute).order_by("-pk")
    try:
        document = json_document(compare_all(list(runs[:MOST_RUNS]), order=form.chosen_order))
    except Refused as refused:
        raise Http404(str(refused)) from refused
    return attachment([document], name=f"{dataset.name}-{attribute.name}-groups.json")


def two_runs_form(request: HttpRequest, dataset: Dataset) -> TwoRunsForm:
    """Return the form, bound if the address names a run."""
    runs = visible_runs(request).filter(dataset=dataset).order_by("attribute__position", "pk")
    named = request.GET if {"one", "other"} & set(request.GET) else None
    return TwoRunsForm(named, runs=list(runs))
