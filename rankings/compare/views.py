"""The pages that compare two runs, or all runs of an attribute, and their downloads."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evenhand.refusals import Refused
from judging.models import Dataset
from judging.web.downloads import attachment
from judging.web.paging import query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset, visible_run, visible_runs
from rankings.compare import all_runs_page, two_runs_page
from rankings.compare.all_runs import MOST_RUNS, compare_all
from rankings.compare.comparison_of_runs import AllCompared, RunsCompared
from rankings.compare.forms import ComparedForm, TwoRunsForm
from rankings.compare.groups_table import groups_table
from rankings.compare.long_lines import compared_long_form
from rankings.compare.two_runs import compare_runs
from rankings.report.report_json import json_document
from rankings.tables.long_form import long_attachment


@require_safe
@researchers_only
def dataset_differences(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Compare two runs on the pairs that both answered."""
    dataset = visible_dataset(request, dataset_id)
    form = two_runs_form(request, dataset)
    context = {"dataset": dataset, "form": form, "query": query_without_page(request), "title": dataset.name}
    if chosen := form.chosen():
        try:
            context |= two_runs_page.two_runs_content(compare_runs(*chosen, choice=form.report_choice), request.GET)
        except Refused as refused:
            context |= {"problems": refused.problems}
    return render(request, "rankings/compare/differences.html", context)


@require_safe
@researchers_only
def dataset_differences_file(request: SignedInRequest, dataset_id: int, ending: str = "") -> HttpResponseBase:
    """Download the figures of the page with the same address: as JSON, or one per line in a file of an ending."""
    report = differences_of(request, dataset_id)
    return compared_file(report, name=f"runs-{report.one.name.run}-{report.other.name.run}", ending=ending)


def compared_file(report: RunsCompared | AllCompared, *, name: str, ending: str) -> HttpResponseBase:
    if ending:
        return long_attachment(compared_long_form(report), name=name, ending=ending)
    return attachment([json_document(report)], name=f"{name}.json")


def differences_of(request: HttpRequest, dataset_id: int) -> RunsCompared:
    """Compare the two runs of the address. Raises Http404 where the page shows problems."""
    form = two_runs_form(request, visible_dataset(request, dataset_id))
    chosen = form.chosen()
    form.require_known_names()
    if chosen is None:
        raise Http404("the address does not name two runs of the dataset")
    try:
        return compare_runs(*chosen, choice=form.report_choice)
    except Refused as refused:
        raise Http404(str(refused)) from refused


@require_safe
@researchers_only
def dataset_groups(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Compare the runs of one attribute with each other. With `pairs`, return only the differences of one figure."""
    dataset = visible_dataset(request, dataset_id)
    form = groups_form(request, dataset)
    runs = form.chosen_runs
    context: dict[str, object] = {"dataset": dataset, "form": form, "query": query_without_page(request)}
    context |= {"n_runs": len(form.offered), "n_chosen": len(runs), "most_runs": MOST_RUNS}
    if len(runs) > 1:
        result = compare_all(runs[:MOST_RUNS], choice=form.report_choice)
        if "pairs" in request.GET:
            return pairs_part(request, result)
        context |= all_runs_page.all_runs_content(result) | {"table": groups_table(result, request.GET)}
    return render(request, "rankings/compare/groups.html", context)


def groups_form(request: HttpRequest, dataset: Dataset) -> ComparedForm:
    runs = visible_runs(request).ordinary().filter(dataset=dataset).order_by("-pk")
    return ComparedForm(request.GET, dataset=dataset, attributes=list(dataset.attributes.all()), runs=list(runs))


def pairs_part(request: SignedInRequest, result: AllCompared) -> HttpResponse:
    """Return the differences of all pairs of runs by one figure. Raises Http404 for another figure."""
    blocks = {block.figure: block for block in result.figures}
    if (figure := request.GET["pairs"]) not in blocks:
        raise Http404(f"no figure {figure}; there are: {', '.join(blocks)}")
    return render(request, "rankings/compare/_pairs_table.html", {"table": blocks[figure]})


@require_safe
@researchers_only
def run_place(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Return the place of a run among all runs of its attribute, as a part of its results."""
    run = visible_run(request, run_id)
    others = visible_runs(request).ordinary().filter(attribute=run.attribute).exclude(pk=run.pk).order_by("-pk")
    runs = [run, *others[: MOST_RUNS - 1]]
    sentence = all_runs_page.place_sentence(compare_all(runs), run.pk) if len(runs) > 1 else ""
    return render(request, "rankings/compare/_place.html", {"run": run, "sentence": sentence})


@require_safe
@researchers_only
def dataset_groups_file(request: SignedInRequest, dataset_id: int, ending: str = "") -> HttpResponseBase:
    """Download the figures of the page with the same address: as JSON, or one per line in a file of an ending."""
    report = groups_of(request, dataset_id)
    return compared_file(report, name=f"{report.dataset}-{report.attribute}-groups", ending=ending)


def groups_of(request: HttpRequest, dataset_id: int) -> AllCompared:
    """Compare the runs of the address. Raises Http404 where the page shows problems."""
    form = groups_form(request, visible_dataset(request, dataset_id))
    if form.chosen() is None:
        raise Http404("the dataset has no attribute")
    form.require_known_names()
    try:
        return compare_all(form.chosen_runs[:MOST_RUNS], choice=form.report_choice)
    except Refused as refused:
        raise Http404(str(refused)) from refused


def two_runs_form(request: HttpRequest, dataset: Dataset) -> TwoRunsForm:
    """Return the form of the address."""
    runs = visible_runs(request).filter(dataset=dataset).order_by("attribute__position", "pk")
    return TwoRunsForm(request.GET, dataset=dataset, runs=list(runs))
