"""The page that all tabs of charts share: charts side by side, then their table."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from judging.models import Run, Study
from judging.models.study_parts import part_warnings
from judging.web.downloads import attachment
from judging.web.role_checks import SignedInRequest
from judging.web.visible_rows import visible_study, visible_study_runs
from rankings.charts.chart_files import chart_file
from rankings.report.report_table import DEMO_WARNING
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.muted_tabs import muted_tabs
from rankings.studies.charts.question_form import QuestionForm
from rankings.studies.study_page import sort_of, with_sections
from rankings.tables.figure_table import figure_table
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.sorting import sorted_table
from rankings.tables.table import Table, TableStyle

_TABLE_PARAMETER = "table"


@dataclass(frozen=True, slots=True)
class RunsOfStudy:
    """A study with the runs that this person may see."""

    study: Study
    runs: list[Run]


def visible_runs_of_study(request: SignedInRequest, study_id: int) -> RunsOfStudy:
    """Read a study. Raises Http404 if this person may not see it."""
    study = visible_study(request, study_id)
    return RunsOfStudy(study, list(visible_study_runs(request, study)))


def chart_page(request: SignedInRequest, of: RunsOfStudy, form: QuestionForm, tab: ChartTab | None) -> HttpResponseBase:
    """Return the page of a tab, or the file of a chart or table that the address asks for. tab: None without runs."""
    muted = muted_tabs(of.runs)
    context: dict[str, object] = {
        "study": of.study,
        "form": form,
        "query": request.GET.urlencode(),
        "unfinished": [run for run in of.runs if run.status != Run.Status.DONE],
        "hidden": of.study.memberships.count() - len(of.runs),
        "heads": [DEMO_WARNING] * any(run.is_demo for run in of.runs),
        "part_warnings": part_warnings(of.study, of.runs),
        "tab": tab,
        "muted": muted,
    }
    if tab is not None:
        file = chart_file(request, *(one.chart for one in tab.charts)) or table_file(
            request, tab.table, name=tab.name, caption=f"{of.study.name}: {tab.title}"
        )
        if file:
            return file
        of_study = "" if request.GET.get("context") else muted.get(tab.name, "")
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
