"""The pages that compare two runs, or all runs of an attribute, and their downloads."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.exceptions import Refused
from judging.models import Attribute, Dataset, Run
from judging.web.downloads import attachment
from judging.web.paging import query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only
from rankings.agreement.views import attribute_form, json_document, visible_dataset
from rankings.compare import all_runs_page, two_runs_page
from rankings.compare.all_runs import MOST_RUNS, compare_all
from rankings.compare.comparison_of_runs import AllCompared, RunsCompared
from rankings.compare.forms import TwoRunsForm
from rankings.compare.two_runs import compare_runs


@require_safe
@researchers_only
def dataset_differences(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Compare two runs on the pairs that both answered."""
    dataset = visible_dataset(request, dataset_id)
    form = two_runs_form(request, dataset)
    context = {"dataset": dataset, "form": form, "query": query_without_page(request)}
    if chosen := form.chosen():
        try:
            context |= difference_figures(compare_runs(*chosen))
        except Refused as refused:
            context |= {"problems": refused.problems}
    return render(request, "rankings/compare/differences.html", context)


@require_safe
@researchers_only
def dataset_differences_download(request: SignedInRequest, dataset_id: int) -> HttpResponseBase:
    """Download the figures of the page with the same address, in full precision."""
    chosen = two_runs_form(request, visible_dataset(request, dataset_id)).chosen()
    if chosen is None:
        raise Http404("the address does not name two runs of the dataset")
    try:
        document = json_document(compare_runs(*chosen))
    except Refused as refused:
        raise Http404(str(refused)) from refused
    return attachment([document], name=f"runs-{chosen[0].pk}-{chosen[1].pk}.json")


@require_safe
@researchers_only
def dataset_groups(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Compare the latest runs of one attribute with each other."""
    dataset = visible_dataset(request, dataset_id)
    form = attribute_form(request, dataset)
    context: dict[str, object] = {"dataset": dataset, "form": form, "query": query_without_page(request)}
    attribute = form.chosen()
    runs = visible_runs(request, attribute) if attribute else []
    if len(runs) > 1:
        result = compare_all(runs[:MOST_RUNS])
        context |= group_figures(result) | {"all_runs": len(runs), "most_runs": MOST_RUNS}
    return render(request, "rankings/compare/groups.html", context)


@require_safe
@researchers_only
def dataset_groups_download(request: SignedInRequest, dataset_id: int) -> HttpResponseBase:
    """Download the figures of the page with the same address, in full precision."""
    dataset = visible_dataset(request, dataset_id)
    attribute = attribute_form(request, dataset).chosen()
    if attribute is None:
        raise Http404("the dataset has no attribute")
    try:
        document = json_document(compare_all(visible_runs(request, attribute)[:MOST_RUNS]))
    except Refused as refused:
        raise Http404(str(refused)) from refused
    return attachment([document], name=f"{dataset.name}-{attribute.name}-groups.json")


def visible_runs(request: SignedInRequest, attribute: Attribute) -> list[Run]:
    """Return the runs of the attribute that this person may see, the latest first."""
    runs = Run.objects.visible_to(request.user).filter(attribute=attribute).order_by("-pk")
    return list(runs.select_related("dataset", "attribute", "judge", "prompt"))


def group_figures(result: AllCompared) -> dict[str, object]:
    """Return the template context of the compared runs."""
    return {
        "result": result,
        "sentences": all_runs_page.sentences(result),
        "titles": all_runs_page.titles(result),
        "lines": all_runs_page.lines(result),
        "pair_tables": all_runs_page.pair_tables(result),
        "undefined": all_runs_page.undefined(result),
        "untested": all_runs_page.untested(result),
    }


def two_runs_form(request: SignedInRequest, dataset: Dataset) -> TwoRunsForm:
    """Return the form, bound if the address names a run."""
    runs = Run.objects.visible_to(request.user).filter(dataset=dataset)
    listed = runs.select_related("dataset", "attribute", "judge").order_by("attribute__position", "pk")
    named = request.GET if {"one", "other"} & set(request.GET) else None
    return TwoRunsForm(named, runs=list(listed))


def difference_figures(result: RunsCompared) -> dict[str, object]:
    """Return the template context of two runs."""
    return {
        "result": result,
        "sentence": two_runs_page.sentence(result),
        "differences": two_runs_page.difference_rows(result),
        "n_tests": two_runs_page.n_tests(result),
        "sides": [(side, two_runs_page.side_cards(side)) for side in (result.one, result.other)],
        "between": two_runs_page.agreement_cards(result),
        "pooled": two_runs_page.pooled_rows(result),
    }
