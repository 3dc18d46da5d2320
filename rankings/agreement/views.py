"""The page of agreement between the raters of a dataset, and its download."""

from __future__ import annotations

import json

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from judging.models import Attribute, Dataset, Run
from judging.web.downloads import attachment
from judging.web.paging import query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only
from rankings.agreement import agreement_page
from rankings.agreement.agreement_report import agreement_report
from rankings.agreement.agreement_row import AgreementReport, AttributeAgreement
from rankings.agreement.forms import AttributeForm
from rankings.report.report_json import as_json


@require_safe
@researchers_only
def dataset_agreement(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Show agreement on one attribute, over the runs that this person may see."""
    dataset = visible_dataset(request, dataset_id)
    form = attribute_form(request, dataset)
    context = {"dataset": dataset, "form": form, "query": query_without_page(request)}
    if attribute := form.chosen():
        context |= agreement_figures(report_of(request, dataset, attribute).attributes[0])
    return render(request, "rankings/agreement/agreement.html", context)


@require_safe
@researchers_only
def dataset_agreement_download(request: SignedInRequest, dataset_id: int) -> HttpResponseBase:
    """Download the figures of the page with the same address, in full precision."""
    dataset = visible_dataset(request, dataset_id)
    attribute = attribute_form(request, dataset).chosen()
    if attribute is None:
        raise Http404("the dataset has no attribute")
    document = json_document(report_of(request, dataset, attribute))
    return attachment([document], name=f"{dataset.name}-{attribute.name}-agreement.json")


def visible_dataset(request: SignedInRequest, dataset_id: int) -> Dataset:
    """Return the dataset if this person may see it. Raises Http404 otherwise."""
    return get_object_or_404(Dataset.objects.visible_to(request.user), pk=dataset_id)


def attribute_form(request: SignedInRequest, dataset: Dataset) -> AttributeForm:
    return AttributeForm(request.GET, attributes=list(dataset.attributes.all()))


def report_of(request: SignedInRequest, dataset: Dataset, attribute: Attribute) -> AgreementReport:
    runs = Run.objects.visible_to(request.user).filter(attribute=attribute).order_by("pk")
    return agreement_report(dataset, attributes=[attribute], runs=runs)


def agreement_figures(row: AttributeAgreement) -> dict[str, object]:
    """Return the template context of one attribute."""
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


def json_document(result: object) -> str:
    return json.dumps(as_json(result), ensure_ascii=False, allow_nan=False)
