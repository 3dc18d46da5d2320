"""The page of a study: its table, by the rows, columns and figure of the address; and its downloads."""

from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evenhand.report_json import json_document
from judging.models import Run, Study
from judging.web.downloads import attachment
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_study, visible_study_runs
from rankings.studies.charts.chart_page import study_context
from rankings.studies.forms import PivotForm, subset_choices
from rankings.studies.headline import TableFacts, headline_of
from rankings.studies.pivots.best_cells import unfinished_of
from rankings.studies.pivots.pivot import pivot_of
from rankings.studies.pivots.pivot_source import RunParts, parts_of_runs
from rankings.studies.presets import PRESETS, preset_menu, preset_notes
from rankings.studies.study_page import DrawnTable, study_style, study_table, why_empty
from rankings.tables.figure_table import figure_table
from rankings.tables.formats import TABLE_FORMATS


@dataclass(frozen=True, slots=True)
class StudySource:
    """A study with the runs that this person may see, the choices of the address, and the report rows."""

    study: Study
    runs: list[Run]
    form: PivotForm
    parts: list[RunParts]


def study_source(request: SignedInRequest, study_id: int) -> StudySource:
    """Read a study and the choices of the address. Raises Http404 if this person may not see it."""
    study = visible_study(request, study_id)
    runs = list(visible_study_runs(request, study))
    form = PivotForm(request.GET, study=study, runs=runs, subsets=subset_choices(study, runs))
    return StudySource(study, runs, form, parts_of_runs(runs, form.choice))


@require_safe
@researchers_only
def study_pivot(request: SignedInRequest, study_id: int) -> HttpResponse:
    source = study_source(request, study_id)
    context = study_context(request, source.study, source.runs)
    context |= {"form": source.form, "has_runs": bool(source.runs)}
    if source.runs:
        context |= content_of_page(request, source) | presets_of_page(request, source)
    return render(request, "rankings/studies/study.html", context)


def content_of_page(request: SignedInRequest, source: StudySource) -> dict[str, object]:
    """Return the table as the page draws it, its sentence, and why it is empty."""
    drawn = drawn_table(source)
    facts = TableFacts(runs=len(source.parts), unfinished=unfinished_of(source.parts), baseline=drawn.baseline)
    label = study_style(source.study, source.form.choice).caption
    table = figure_table(drawn.table, label=label, address=request.GET, sort=drawn.sort, style=drawn.style)
    return {
        "sentence": headline_of(drawn.table, source.form.choice, facts),
        "heads": drawn.table.heads,
        "why_empty": why_empty(drawn.table),
        "table": table,
    }


def drawn_table(source: StudySource) -> DrawnTable:
    """Return the table of the address."""
    form, parts = source.form, source.parts
    baseline = form.offer_baselines(pivot_of(parts, form.choice).rows)
    sort, has_references = form.cleaned_data.get("sort", ""), form.has_references
    return study_table(parts, form.choice, sort=sort, has_references=has_references, baseline=baseline)


def presets_of_page(request: SignedInRequest, source: StudySource) -> dict[str, object]:
    """Return the menu of tables of papers, and the notes of the chosen one."""
    chosen = PRESETS.get(request.GET.get("preset", ""))
    return {
        "presets": preset_menu(source.runs),
        "preset_notes": preset_notes(chosen, source.study, source.parts) if chosen else None,
    }


@require_safe
@researchers_only
def study_table_file(request: SignedInRequest, study_id: int, ending: str) -> HttpResponseBase:
    """Download the table of the page with the same address. JSON has the figures, whatever baseline the page shows."""
    source = study_source(request, study_id)
    choice, name = source.form.choice, source.study.name
    if ending == "json":
        return attachment([json_document(pivot_of(source.parts, choice))], name=f"{name}.json")
    if ending not in TABLE_FORMATS:
        raise Http404(f"no table ends in .{ending}")
    drawn = drawn_table(source)
    content = TABLE_FORMATS[ending].write(drawn.table, study_style(source.study, choice, drawn.baseline))
    name = f"{name}, differences to {drawn.baseline}" if drawn.baseline else name
    return attachment([content], name=f"{name}.{ending}")
