"""All runs of an attribute compared with each other, and the same to take home."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.exceptions import Refused
from judging.models import Attribute, Run
from judging.web.access import SignedInRequest, researchers_only
from judging.web.downloads import attachment
from judging.web.paging import query_without_page
from rankings.agreement.views import attribute_form, json_document, visible_dataset
from rankings.compare import all_runs_page
from rankings.compare.all_runs import MOST_RUNS, compare_all
from rankings.compare.comparison_of_runs import AllCompared


@require_safe
@researchers_only
def dataset_groups(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """The latest runs of one attribute, all with all."""
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
    """What the page with the same address shows, in full precision."""
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
    """The runs of the attribute that this person may see, the latest first."""
    runs = Run.objects.visible_to(request.user).filter(attribute=attribute).order_by("-pk")
    return list(runs.select_related("dataset", "attribute", "judge", "prompt"))


def group_figures(result: AllCompared) -> dict[str, object]:
    """What the page shows of the runs."""
    return {
        "result": result,
        "sentences": all_runs_page.sentences(result),
        "titles": all_runs_page.titles(result),
        "lines": all_runs_page.lines(result),
        "pair_tables": all_runs_page.pair_tables(result),
        "undefined": all_runs_page.undefined(result),
        "untested": all_runs_page.untested(result),
    }
