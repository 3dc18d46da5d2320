"""The page that all tabs of charts share: charts side by side, then their table."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from judging.models import Run
from judging.models.study_parts import part_warnings
from judging.web.downloads import attachment
from judging.web.role_checks import SignedInRequest
from rankings.charts.chart_files import chart_file
from rankings.report.report_table import DEMO_WARNING
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.muted_tabs import muted_tabs
from rankings.studies.charts.report_form import ReportTabForm
from rankings.studies.forms import PivotForm
from rankings.studies.study_page import sort_of, with_sections
from rankings.tables.figure_table import figure_table
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.sorting import sorted_table
from rankings.tables.table import Table, TableStyle

_TABLE_PARAMETER = "table"


def study_context(request: SignedInRequest, form: PivotForm | ReportTabForm) -> dict[str, Any]:
    """Return what the template of every page of a study gets: its runs, and the choices of the address."""
    study, runs = form.study, form.runs
    return {
        "study": study,
        "form": form,
        "query": request.GET.urlencode(),
        "unfinished": [run for run in runs if run.status != Run.Status.DONE],
        "hidden": study.memberships.count() - len(runs),
        "part_warnings": part_warnings(study, runs),
        "muted": muted_tabs(runs),
    }


def chart_page(request: SignedInRequest, form: ReportTabForm, tab: ChartTab | None) -> HttpResponseBase:
    """Return the page of a tab, or the file of a chart or table that the address asks for. tab: None without runs."""
    context = study_context(request, form)
    context |= {"heads": [DEMO_WARNING] * any(run.is_demo for run in form.runs), "tab": tab}
    if tab is not None:
        file = chart_file(request, *(one.chart for one in tab.charts)) or table_file(
            request, tab.table, name=tab.name, caption=f"{form.study.name}: {tab.title}"
        )
        if file:
            return file
        of_study = "" if request.GET.get("context") else context["muted"].get(tab.name, "")
        context |= {
            "table": _drawn(request, tab),
            "table_formats": TABLE_FORMATS,
            "why_empty": of_study or f"Nothing to draw: {tab.empty}.",
        }
    return render(request, "rankings/studies/charts/page.html", context)


def _drawn(request: SignedInRequest, tab: ChartTab) -> object:
    """Return the table as the page draws it; None where it has no rows or columns, or only repeats why it is empty."""
    if not tab.page_table.rows or not tab.page_table.columns:
        return None
    table = with_sections(tab.page_table)
    sort = sort_of(table, request.GET.get("sort", "") or tab.usual_sort)
    drawn = figure_table(sorted_table(table, sort), label=tab.title, address=request.GET, sort=sort, style=tab.style)
    return drawn if drawn.headings or not tab.empty else None


def table_file(request: HttpRequest, table: Table, *, name: str, caption: str) -> HttpResponseBase | None:
    """Return the table in the format that the address asks for; None for none. Raises Http404 for an unknown one."""
    ending = request.GET.get(_TABLE_PARAMETER)
    if ending is None:
        return None
    if ending not in TABLE_FORMATS:
        raise Http404(f"no table ends in .{ending}; there are: {', '.join(TABLE_FORMATS)}")
    content = TABLE_FORMATS[ending].write(table, TableStyle(caption=caption, label=f"tab:{name}"))
    return attachment([content], name=f"{name}.{ending}")
