"""How far the raters of a dataset agree, two of its runs on the same pairs, and the same to take home."""

from __future__ import annotations

import json

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from judging.exceptions import Refused
from judging.models import Attribute, Dataset, Run
from judging.web.access import SignedInRequest, researchers_only
from judging.web.downloads import attachment
from judging.web.paging import query_without_page
from rankings.agreement import agreement_page
from rankings.agreement.agreement_report import agreement_report
from rankings.agreement.agreement_row import AgreementReport, AttributeAgreement
from rankings.agreement.forms import AttributeForm, TwoRunsForm
from rankings.compare import two_runs_page
from rankings.compare.comparison_of_runs import RunsCompared
from rankings.compare.two_runs import compare_runs
from rankings.report.report_json import as_json


@require_safe
@researchers_only
def dataset_agreement(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """People with each other, judges with people: one attribute, and the runs that this person may see."""
    dataset = visible_dataset(request, dataset_id)
    form = attribute_form(request, dataset)
    context = {"dataset": dataset, "form": form, "query": query_without_page(request)}
    if attribute := form.chosen():
        context |= agreement_figures(report_of(request, dataset, attribute).attributes[0])
    return render(request, "rankings/agreement/agreement.html", context)


@require_safe
@researchers_only
def dataset_agreement_download(request: SignedInRequest, dataset_id: int) -> HttpResponseBase:
    """What the page with the same address shows, in full precision."""
    dataset = visible_dataset(request, dataset_id)
    attribute = attribute_form(request, dataset).chosen()
    if attribute is None:
        raise Http404("the dataset has no attribute")
    document = json_document(report_of(request, dataset, attribute))
    return attachment([document], name=f"{dataset.name}-{attribute.name}-agreement.json")


@require_safe
@researchers_only
def dataset_differences(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Two runs on the pairs that both answered."""
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
    """What the page with the same address shows, in full precision."""
    chosen = two_runs_form(request, visible_dataset(request, dataset_id)).chosen()
    if chosen is None:
        raise Http404("the address does not name two runs of the dataset")
    try:
        document = json_document(compare_runs(*chosen))
    except Refused as refused:
        raise Http404(str(refused)) from refused
    return attachment([document], name=f"runs-{chosen[0].pk}-{chosen[1].pk}.json")


def visible_dataset(request: SignedInRequest, dataset_id: int) -> Dataset:
    """The dataset, if this person may see it; a 404 otherwise."""
    return get_object_or_404(Dataset.objects.visible_to(request.user), pk=dataset_id)


def attribute_form(request: SignedInRequest, dataset: Dataset) -> AttributeForm:
    return AttributeForm(request.GET, attributes=list(dataset.attributes.all()))


def report_of(request: SignedInRequest, dataset: Dataset, attribute: Attribute) -> AgreementReport:
    runs = Run.objects.visible_to(request.user).filter(attribute=attribute).order_by("pk")
    return agreement_report(dataset, attributes=[attribute], runs=runs)


def two_runs_form(request: SignedInRequest, dataset: Dataset) -> TwoRunsForm:
    """Bound once the address names a run."""
    runs = Run.objects.visible_to(request.user).filter(dataset=dataset)
    listed = runs.select_related("dataset", "attribute", "judge").order_by("attribute__position", "pk")
    named = request.GET if {"one", "other"} & set(request.GET) else None
    return TwoRunsForm(named, runs=list(listed))


def agreement_figures(row: AttributeAgreement) -> dict[str, object]:
    """What the page shows of one attribute."""
    cards = agreement_page.rater_cards(row.raters)
    matrix = agreement_page.matrix(row)
    return {
        "row": row,
        "people_sentence": agreement_page.people_sentence(row),
        "judge_sentence": agreement_page.judge_sentence(row),
        "people": agreement_page.group_cards(row.people),
        "judges": agreement_page.group_cards(row.judges) if row.judges.raters > 1 else [],
        "ratings": agreement_page.group_cards(row.ratings) if row.ratings.raters else [],
        "against_people": agreement_page.judges_against_people(row),
        "raters": cards,
        "raters_left_out": len(row.raters) - len(cards),
        "matrix": matrix,
        "matrix_left_out": len(row.raters) - len(matrix),
        "chart": agreement_page.raters_chart(row),
    }


def difference_figures(result: RunsCompared) -> dict[str, object]:
    """What the page shows of two runs."""
    return {
        "result": result,
        "sentence": two_runs_page.sentence(result),
        "differences": two_runs_page.difference_rows(result),
        "n_tests": two_runs_page.n_tests(result),
        "sides": [(side, two_runs_page.side_cards(side)) for side in (result.one, result.other)],
        "between": two_runs_page.agreement_cards(result),
        "pooled": two_runs_page.pooled_rows(result),
    }


def json_document(result: object) -> str:
    return json.dumps(as_json(result), ensure_ascii=False, allow_nan=False)
