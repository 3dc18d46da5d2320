"""Downloads of results, and the page of a table for a paper."""

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evenhand.report_json import json_document
from judging.web.downloads import attachment
from judging.web.role_checks import SignedInRequest, researchers_only
from rankings.report.forms import StyleForm
from rankings.report.long_lines import report_long_form
from rankings.report.prompt_means import means_long_form
from rankings.report.report_table import paper_style
from rankings.report.views.table_source import TableSource, dataset_source, run_source
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.long_form import long_attachment
from rankings.tables.table import Table


@require_safe
@researchers_only
def run_report(request: SignedInRequest, run_id: int, ending: str) -> HttpResponseBase:
    return report_file(request, run_source(request, run_id), name=f"run-{run_id}", ending=ending)


@require_safe
@researchers_only
def dataset_report(request: SignedInRequest, dataset_id: int, ending: str) -> HttpResponseBase:
    """Download the table of the page with the same address, or the whole report as JSON."""
    source = dataset_source(request, dataset_id)
    return report_file(request, source, name=source.dataset.name, ending=ending)


def report_file(request: SignedInRequest, source: TableSource, *, name: str, ending: str) -> HttpResponseBase:
    source.answers.require_known_names()
    if ending == "json":
        means = {} if source.means is None else {"means": source.means}
        return attachment([json_document({"rows": source.rows, **means})], name=f"{name}.json")
    if ending not in TABLE_FORMATS:
        raise Http404(f"no report ends in .{ending}")
    table = source.table
    style = style_form(request, source, table).style
    return attachment([TABLE_FORMATS[ending].write(table, style)], name=f"{name}.{ending}")


@require_safe
@researchers_only
def run_long(request: SignedInRequest, run_id: int, ending: str) -> HttpResponseBase:
    """Download every figure of a run, one per line."""
    return long_file(run_source(request, run_id), name=f"run-{run_id}", ending=ending)


@require_safe
@researchers_only
def dataset_long(request: SignedInRequest, dataset_id: int, ending: str) -> HttpResponseBase:
    """Download every figure of the runs of the page with the same address, one per line."""
    source = dataset_source(request, dataset_id)
    return long_file(source, name=source.dataset.name, ending=ending)


def long_file(source: TableSource, *, name: str, ending: str) -> HttpResponseBase:
    source.answers.require_known_names()
    form = report_long_form(source.rows) if source.means is None else means_long_form(source.means)
    return long_attachment(form, name=name, ending=ending)


def style_form(request: SignedInRequest, source: TableSource, table: Table) -> StyleForm:
    run = source.runs[0] if source.is_run else None
    return StyleForm(request.GET, usual=paper_style(table, source.dataset, run))


@require_safe
@researchers_only
def dataset_table(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Show the table of the results page as text for a paper, to copy or download."""
    source = dataset_source(request, dataset_id)
    return table_page(request, source, {"dataset": source.dataset, "report": "dataset-report", "pk": dataset_id})


@require_safe
@researchers_only
def run_table(request: SignedInRequest, run_id: int) -> HttpResponse:
    """Show the rows of a run as text for a paper, to copy or download."""
    source = run_source(request, run_id)
    return table_page(request, source, {"run": source.runs[0], "report": "run-report", "pk": run_id})


def table_page(request: SignedInRequest, source: TableSource, context: dict[str, object]) -> HttpResponse:
    table = source.table
    form = style_form(request, source, table)
    context |= {
        "form": source.form,
        "choice_form": source.answers,
        "style_form": form,
        "ending": form.chosen_format,
        "text": TABLE_FORMATS[form.chosen_format].write(table, form.style),
        "chosen": [
            (name, value) for name, values in request.GET.lists() if name not in form.fields for value in values
        ],
        "query": request.GET.urlencode(),
        "has_rows": bool(source.rows),
    }
    return render(request, "rankings/report/table.html", context)
