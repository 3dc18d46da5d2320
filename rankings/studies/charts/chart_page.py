"""The page of any charts of a study: the form of their options, charts side by side, then their table."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.forms import BoundField
from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evenhand.options import options_of
from judging.models import Run, Study
from judging.models.studies_and_reports import part_warnings
from judging.web.downloads import attachment
from judging.web.form_fields import add_problems_to_fields
from judging.web.options import option_fields
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_study, visible_study_runs
from rankings.charts.chart_files import chart_file
from rankings.report.report_choice import SUBSET
from rankings.report.report_table import DEMO_WARNING
from rankings.studies.charts.chart_request import ANSWER_OPTIONS, ChartRequest
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.muted_tabs import muted_tabs
from rankings.studies.charts.run_panels import QUESTION
from rankings.studies.study_page import sort_of, with_sections
from rankings.tables.figure_table import figure_table
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.sorting import sorted_table
from rankings.tables.table import TableStyle


class RangeInput(forms.NumberInput):
    """A slider."""

    input_type = "range"


class ChartForm(forms.Form):
    """The values of a request, as its charts show them."""

    def __init__(self, request: ChartRequest, tab: ChartTab) -> None:
        super().__init__(request.texts(tab))
        self.fields |= option_fields(option for option in request.options if option.name not in request.fixed)
        for name, slider in tab.sliders.items():
            field = self.fields[name]
            field.widget = RangeInput({"min": slider.low, "max": slider.high, "step": 1})
            field.label = slider.label
        add_problems_to_fields(self, [one for one in request.problems if one.partition(": ")[0] in self.fields])
        self.main_fields = self._bound([*QUESTION, SUBSET, *(option.name for option in options_of(request.kind.draw))])
        self.more_fields = self._bound([*(option.name for option in ANSWER_OPTIONS), *self.fields])

    def _bound(self, names: list[str]) -> list[BoundField]:
        """Return those of some fields that the form has, each once."""
        bound: list[BoundField] = getattr(self, "main_fields", [])
        return [self[name] for name in dict.fromkeys(names) if name in self.fields and self[name] not in bound]

    @property
    def uses_more_fields(self) -> bool:
        """Return True if a folded field differs from its usual choice, or has a problem."""
        return any(field.errors or (field.value() or "") != (field.initial or "") for field in self.more_fields)


@require_safe
@researchers_only
def study_tab(request: SignedInRequest, study_id: int, tab: str) -> HttpResponseBase:
    """Show the charts of a study with their table, or send a file of them. tab: a name of CHART_TABS."""
    study = visible_study(request, study_id)
    runs = list(visible_study_runs(request, study))
    context = study_context(request, study, runs)
    if runs:
        asked = ChartRequest.of(tab, request.GET, study, runs, is_shared=True)
        drawn = asked.drawn()
        if file := _file(request, drawn, study):
            return file
        context |= {"form": ChartForm(asked, drawn)} | _shown(request, drawn, context["muted"].get(tab, ""))
    context["heads"] = [DEMO_WARNING] * any(run.is_demo for run in runs)
    return render(request, "rankings/studies/charts/page.html", context)


def study_context(request: SignedInRequest, study: Study, runs: Sequence[Run]) -> dict[str, Any]:
    """Return what the template of every page of a study gets. runs: of the study, those that this person may see."""
    return {
        "study": study,
        "query": request.GET.urlencode(),
        "unfinished": [run for run in runs if run.status != Run.Status.DONE],
        "hidden": study.memberships.count() - len(runs),
        "part_warnings": part_warnings(study, runs),
        "muted": muted_tabs(runs),
    }


def _shown(request: SignedInRequest, tab: ChartTab, why_muted: str) -> dict[str, object]:
    """Return the tab, its table as the page draws it, and why it is empty."""
    of_study = "" if request.GET.get("context") else why_muted
    why_empty = of_study or f"Nothing to draw: {tab.empty}."
    return {"tab": tab, "table": _drawn(request, tab), "why_empty": why_empty}


def _drawn(request: SignedInRequest, tab: ChartTab) -> object:
    """Return the table as the page draws it; None where it has no rows or columns, or only repeats why it is empty."""
    if not tab.page_table.rows or not tab.page_table.columns:
        return None
    table = with_sections(tab.page_table)
    sort = sort_of(table, request.GET.get("sort", "") or tab.usual_sort)
    drawn = figure_table(sorted_table(table, sort), label=tab.title, address=request.GET, sort=sort, style=tab.style)
    return drawn if drawn.headings or not tab.empty else None


def _file(request: SignedInRequest, tab: ChartTab, study: Study) -> HttpResponseBase | None:
    """Return the file of a chart or of the table that the address asks for; None for none.

    Raises Http404 for one that the page does not have.
    """
    if file := chart_file(request, *(one.chart for one in tab.charts)):
        return file
    ending = request.GET.get("table")
    if ending is None:
        return None
    if ending not in TABLE_FORMATS:
        raise Http404(f"no table ends in .{ending}; there are: {', '.join(TABLE_FORMATS)}")
    style = TableStyle(caption=f"{study.name}: {tab.title}", label=f"tab:{tab.name}")
    return attachment([TABLE_FORMATS[ending].write(tab.table, style)], name=f"{tab.name}.{ending}")
