"""The page of agreement between the raters of a dataset, and its download."""

from __future__ import annotations

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evenhand.refusals import Refused
from judging.models import Attribute, Dataset
from judging.web.downloads import attachment
from judging.web.paging import query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset, visible_runs
from rankings.agreement.agreement_page import agreement_content, raters_chart
from rankings.agreement.agreement_report import agreement_report
from rankings.agreement.agreement_row import AgreementReport, agreement_long_form
from rankings.agreement.forms import AgreementForm
from rankings.agreement.rater_groups import EVERYONE
from rankings.charts.chart_files import chart_file
from rankings.charts.plotly_chart import Chart
from rankings.report.report_json import json_document
from rankings.tables.long_form import long_attachment


@require_safe
@researchers_only
def dataset_agreement(request: SignedInRequest, dataset_id: int) -> HttpResponseBase:
    """Show agreement on one attribute, over the runs that this person may see."""
    dataset = visible_dataset(request, dataset_id)
    form = agreement_form(request, dataset)
    context = {"dataset": dataset, "form": form, "query": query_without_page(request)}
    if form.chosen():
        try:
            report = report_of(request, dataset, form)
            if "chart" in request.GET:
                return chart_part(request, raters_chart(report.attributes[0]))
            content = agreement_content(report.attributes[0], request.GET, subsets_by=form.report_choice.subsets_by)
            context |= content | {"without": report.without}
        except Refused as refused:
            form.add_error("raters", list(refused.problems))
    return render(request, "rankings/agreement/agreement.html", context)


def chart_part(request: SignedInRequest, chart: Chart | None) -> HttpResponseBase:
    """Return the chart of all raters, as a part of the page or as a file."""
    if file := chart_file(request, chart):
        return file
    label = "Agreement of each rater with the majority of people; the same figures are in the table"
    context = {"chart": chart, "label": label, "definition": "agreement/#accuracy"}
    return render(request, "rankings/_chart.html", context)


@require_safe
@researchers_only
def dataset_agreement_file(request: SignedInRequest, dataset_id: int, ending: str = "") -> HttpResponseBase:
    """Download the figures of the page with the same address: as JSON, or one per line in a file of an ending."""
    dataset = visible_dataset(request, dataset_id)
    form = agreement_form(request, dataset)
    name = f"{dataset.name}-{chosen_attribute(form).name}-agreement"
    report = report_or_404(request, dataset, form)
    if ending:
        return long_attachment(agreement_long_form(report), name=name, ending=ending)
    return attachment([json_document(report)], name=f"{name}.json")


def agreement_form(request: HttpRequest, dataset: Dataset) -> AgreementForm:
    return AgreementForm(
        request.GET, dataset=dataset, attributes=list(dataset.attributes.all()), fields=dataset.context_fields
    )


def chosen_attribute(form: AgreementForm) -> Attribute:
    """Return the chosen attribute. Raises Http404 if the dataset has none."""
    attribute = form.chosen()
    if attribute is None:
        raise Http404("the dataset has no attribute")
    return attribute


def report_or_404(request: HttpRequest, dataset: Dataset, form: AgreementForm) -> AgreementReport:
    """Return the report of the form. Raises Http404 for groups of people that the dataset cannot have."""
    form.require_known_names()
    try:
        return report_of(request, dataset, form)
    except Refused as refused:
        raise Http404(str(refused)) from refused


def report_of(request: HttpRequest, dataset: Dataset, form: AgreementForm) -> AgreementReport:
    """Return the report of the form. Raises Refused for groups of people that the dataset cannot have."""
    attribute = chosen_attribute(form)
    runs = visible_runs(request).ordinary().filter(attribute=attribute).order_by("pk")
    return agreement_report(
        dataset, attributes=[attribute], runs=runs, choice=form.report_choice, groups=form.groups or EVERYONE
    )
