"""The page of a study: its table, by the rows, columns and figure of the address; and its downloads."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
from rankings.studies.pivots.baseline_differences import paired_differences_to, with_differences
from rankings.studies.pivots.comparable_cells import unfinished_of
from rankings.studies.pivots.pivot import pivot_of
from rankings.studies.pivots.pivot_figures import pivot_figure
from rankings.studies.pivots.pivot_source import RunParts, parts_of_runs
from rankings.studies.pivots.pivot_table import figure_title, pivot_table, style_of_page
from rankings.studies.preset_menu import preset_menu, preset_notes
from rankings.studies.presets import PRESETS
from rankings.studies.study_page import (
    in_order_of_sections,
    sort_of,
    study_table,
    why_empty,
    with_references,
    with_savings,
)
from rankings.tables.figure_table import figure_table
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.sorting import sorted_table
from rankings.tables.table import TableStyle


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
    """Return the table as the page draws it, sorted and with the reference rows; its sentence; why it is empty."""
    choice, form, parts = source.form.choice, source.form, source.parts
    plain = pivot_of(parts, choice)
    baseline = form.offer_baselines(plain.rows)
    table = study_table(parts, choice)
    sort = sort_of(table, form.cleaned_data.get("sort", ""))
    ordered = in_order_of_sections(sorted_table(with_savings(table, sort), sort), sort)
    drawn = with_references(ordered, parts, choice) if form.has_references else ordered
    if baseline:
        drawn = with_differences(drawn, baseline, paired_differences_to(baseline, parts, choice))
    facts = TableFacts(runs=len(parts), unfinished=unfinished_of(parts), baseline=baseline)
    label = f"{source.study.name}: {figure_title(pivot_figure(choice.figure), choice)}"
    style = style_of_page(plain)
    return {
        "sentence": headline_of(drawn, choice, facts),
        "heads": table.heads,
        "why_empty": why_empty(table),
        "table": figure_table(drawn, label=label, address=request.GET, sort=sort, style=style),
    }


def presets_of_page(request: SignedInRequest, source: StudySource) -> dict[str, object]:
    """Return the menu of tables of papers, and the notes of the chosen one."""
    every = source.parts
    if len(every) < len(source.runs):
        every = parts_of_runs(source.runs, replace(source.form.choice, only=()))
    chosen = PRESETS.get(request.GET.get("preset", ""))
    return {
        "presets": preset_menu(every),
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
    table = pivot_table(source.parts, choice)
    if source.form.has_references:
        table = with_references(table, source.parts, choice)
    if baseline := source.form.offer_baselines(pivot_of(source.parts, choice).rows):
        table = with_differences(table, baseline, paired_differences_to(baseline, source.parts, choice))
        name = f"{name}, differences to {baseline}"
    content = TABLE_FORMATS[ending].write(table, TableStyle(caption=name, label="tab:study"))
    return attachment([content], name=f"{name}.{ending}")
