"""`CHART_TABS`: the tabs of a study with charts, each made from the choices of an address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.urls import reverse

from judging.models import Run, Study
from rankings.numerics.figure import defined
from rankings.report.number_text import ranking_title
from rankings.report.report_choice import ReportChoice
from rankings.studies.best_cells import members_of
from rankings.studies.charts.agreement import (
    AGREEMENT_MEASURES,
    agreement_chart,
    agreement_matrix,
    agreement_sentence,
    agreement_table,
)
from rankings.studies.charts.calibration import (
    best_calibrated_sentence,
    calibration_charts,
    calibration_columns,
    calibrations_of_runs,
    panels_of_calibrations,
)
from rankings.studies.charts.chart_tab import ChartTab, named_charts
from rankings.studies.charts.coverage import (
    TABLE_COVERAGES,
    coverage_charts,
    coverage_columns,
    coverage_sentence,
    coverages_of_runs,
    panels_of_coverages,
)
from rankings.studies.charts.curves_tab import curves_form, curves_tab
from rankings.studies.charts.gap_charts import gap_charts, panels_of_gaps
from rankings.studies.charts.judged_answers import AnswersChoice
from rankings.studies.charts.length_gaps import (
    GAP_TITLES,
    LENGTH_NOTE,
    length_columns,
    length_gaps_of_runs,
    lengths_of_runs,
    longer_text_sentence,
)
from rankings.studies.charts.panels import panel_name, panels_of_runs
from rankings.studies.charts.position_bias import (
    BIAS_COLUMNS,
    bias_chart,
    bias_columns,
    bias_range,
    biases_of_runs,
    figures_of_columns,
    most_biased_sentence,
    p_first_of_people,
)
from rankings.studies.charts.question_form import QuestionForm
from rankings.studies.charts.report_form import AgreementTabForm, CoverageForm, ReportTabForm, SystemsForm
from rankings.studies.charts.run_labels import question_of, run_labels
from rankings.studies.charts.run_table import table_of_runs
from rankings.studies.charts.score_gaps import (
    SCORE_GAP_NOTE,
    SCORE_GAP_TITLES,
    score_gap_columns,
    score_gap_sentence,
    score_gaps_of_runs,
)
from rankings.studies.charts.systems import (
    best_systems_sentence,
    questions_without_systems,
    ranked_systems,
    ranks_table,
    system_charts,
)
from rankings.studies.pivot_source import NO_RECORD, parts_of_runs
from rankings.tables.table import TableStyle

Address = Mapping[str, Any]
"""The parameters of a page."""


def bias_tab(form: ReportTabForm) -> ChartTab:
    """Return P(first) of the chosen runs."""
    runs, subset = form.chosen_runs, form.chosen_subset
    parts, labels, columns = parts_of_runs(runs, form.choice), run_labels(runs, form.names), bias_columns()
    biases, people = biases_of_runs(parts, subset, labels), p_first_of_people(parts, subset)
    drawn = sorted((run for run in runs if run.pk in biases), key=lambda run: -defined(biases[run.pk].raw.value))
    panels = panels_of_runs(drawn, most=len(runs))
    x_range = bias_range(list(biases.values()), list(people.values()))
    charts = [
        bias_chart(
            [biases[run.pk] for run in panel.runs],
            name=panel_name("bias", number, len(panels)),
            title=panel.title,
            x_range=x_range,
            people=people.get(question_of(panel.runs[0])),
        )
        for number, panel in enumerate(panels, start=1)
    ]
    figures = {part.run.pk: figures_of_columns(part, subset, columns) for part in parts}
    of_people = {question: [one, *[None] * (len(columns) - 1)] for question, one in people.items()}
    return ChartTab(
        name="bias",
        title="Position bias",
        definition="report/#p_first",
        sentence=most_biased_sentence(list(biases.values())),
        charts=named_charts([panel.title for panel in panels], charts),
        table=table_of_runs(columns, runs, labels, figures, people=of_people),
        usual_sort=BIAS_COLUMNS[0],
        empty="" if charts else "no chosen run has a P(first)",
    )


def agreement_tab(form: AgreementTabForm) -> ChartTab:
    """Return a matrix for each dataset and attribute of the chosen runs."""
    runs, measure = form.chosen_runs, form.chosen_measure
    labels, answers = run_labels(runs, form.names), ReportChoice(order=form.choice.answers.order)
    matrices = [
        agreement_matrix(panel.runs, labels, measure, answers, title=panel.title)
        for panel in panels_of_runs(runs, most=len(runs))
    ]
    drawn = [matrix for matrix in matrices if matrix.has_value]
    charts = [
        agreement_chart(matrix, name=panel_name("agreement", number, len(drawn)), measure=measure)
        for number, matrix in enumerate(drawn, start=1)
    ]
    hrefs = {run.pk: reverse("run-results", args=[run.pk]) for run in runs}
    return ChartTab(
        name="agreement",
        title=f"Agreement: {AGREEMENT_MEASURES[measure]}",
        definition=f"agreement/#{measure}",
        sentence=agreement_sentence(matrices, measure),
        charts=named_charts([matrix.title for matrix in drawn], charts),
        table=agreement_table(matrices, hrefs, measure),
        usual_sort="none",
        empty="" if charts else "no two of the chosen runs answered a common pair",
    )


def coverage_tab(form: CoverageForm) -> ChartTab:
    """Return accuracy against coverage of the chosen runs."""
    runs, columns = form.chosen_runs, coverage_columns()
    labels, pivot = run_labels(runs, form.names), form.choice
    members = members_of(form.chosen_subset, pivot)
    coverages = coverages_of_runs(runs, labels, AnswersChoice(pivot.answers, members, form.is_debiased))
    panels = panels_of_coverages(coverages)
    charts = coverage_charts(coverages, panels)
    figures = {one.run.pk: [one.at(share) for share in TABLE_COVERAGES] for one in coverages}
    reasons = dict.fromkeys(one.accuracies[0].undefined or "no value" for one in coverages)
    return ChartTab(
        name="coverage",
        title="Accuracy against coverage",
        definition="studies/#coverage",
        sentence=coverage_sentence(coverages),
        charts=named_charts([panel.title for panel in panels], charts),
        table=table_of_runs(columns, runs, labels, figures, people={}),
        empty="" if charts else "; ".join(reasons),
    )


def calibration_tab(form: CoverageForm) -> ChartTab:
    """Return the calibration of the chosen runs."""
    runs, pivot = form.chosen_runs, form.choice
    labels, members = run_labels(runs, form.names), members_of(form.chosen_subset, pivot)
    calibrations = calibrations_of_runs(runs, labels, AnswersChoice(pivot.answers, members, form.is_debiased))
    panels = panels_of_calibrations(calibrations)
    charts = calibration_charts(calibrations, panels)
    reasons = dict.fromkeys(one.own.expected_calibration_error.undefined or "no value" for one in calibrations)
    figures = {one.run.pk: one.figures for one in calibrations}
    return ChartTab(
        name="calibration",
        title="Calibration",
        definition="diagnostics/#expected_calibration_error",
        sentence=best_calibrated_sentence(calibrations),
        charts=named_charts([panel.title for panel in panels], charts),
        table=table_of_runs(calibration_columns(), runs, labels, figures, people={}, page="run-diagnostics"),
        usual_sort="-expected_calibration_error",
        empty="" if charts else "; ".join(reasons),
    )


def length_tab(form: ReportTabForm) -> ChartTab:
    """Return accuracy by length of the chosen runs."""
    runs, subset = form.chosen_runs, form.chosen_subset
    lengths = lengths_of_runs(parts_of_runs(runs, form.choice), subset, run_labels(runs, form.names))
    gaps = length_gaps_of_runs(lengths)
    panels = panels_of_gaps(gaps)
    charts = gap_charts(gaps, panels, name="length", title="Difference in length", bins=GAP_TITLES, note=LENGTH_NOTE)
    figures = {one.run.pk: one.figures(NO_RECORD) for one in lengths}
    reasons = dict.fromkeys(one.undefined or "no value" for of_run in lengths for one in of_run.by_gap)
    return ChartTab(
        name="length",
        title="Accuracy by length",
        definition="report/#length_preference",
        sentence=longer_text_sentence(lengths),
        charts=named_charts([panel.title for panel in panels], charts),
        table=table_of_runs(length_columns(), runs, run_labels(runs, form.names), figures, people={}),
        usual_sort="length_preference",
        empty="" if charts else "; ".join(reasons) or NO_RECORD,
    )


def score_gap_tab(form: CoverageForm) -> ChartTab:
    """Return accuracy by the difference in human scores of the chosen runs."""
    runs, pivot = form.chosen_runs, form.choice
    labels, members = run_labels(runs, form.names), members_of(form.chosen_subset, pivot)
    gaps = score_gaps_of_runs(runs, labels, AnswersChoice(pivot.answers, members, form.is_debiased))
    panels = panels_of_gaps(gaps)
    title = "Difference in human scores"
    charts = gap_charts(gaps, panels, name="score-gap", title=title, bins=SCORE_GAP_TITLES, note=SCORE_GAP_NOTE)
    reasons = dict.fromkeys(one.by_gap[0].undefined or "no value" for one in gaps)
    return ChartTab(
        name="score-gap",
        title="Accuracy by difference in human scores",
        definition="studies/#score-gaps",
        sentence=score_gap_sentence(gaps),
        charts=named_charts([panel.title for panel in panels], charts),
        table=table_of_runs(score_gap_columns(), runs, labels, {one.run.pk: one.by_gap for one in gaps}, people={}),
        empty="" if charts else "; ".join(reasons),
    )


def systems_tab(form: SystemsForm) -> ChartTab:
    """Return the ranks of the systems by the chosen runs and by people."""
    runs, pivot, ranking = form.chosen_runs, form.choice, form.chosen_ranking
    choice = AnswersChoice(pivot.answers, members_of(form.chosen_subset, pivot), form.is_debiased)
    ranked = ranked_systems(runs, run_labels(runs, form.names), choice, ranking=ranking)
    drawn = [one for one in ranked if not one.undefined]
    panels = panels_of_runs([one.run for one in drawn])
    charts = system_charts(drawn, panels)
    reasons = questions_without_systems(ranked)
    bias = "debiased" if form.is_debiased else "raw"
    return ChartTab(
        name="systems",
        title=f"Ranks of systems, {ranking_title(ranking)}, {bias}",
        definition="studies/#systems",
        sentence=best_systems_sentence(ranked),
        charts=named_charts([panel.title for panel in panels], charts),
        table=ranks_table(drawn) if drawn else table_of_runs([], [], {}, {}, people={}),
        usual_sort="none",
        empty="" if charts else "; ".join(reasons),
        style=TableStyle(interval="brackets"),
        notes=[f"{len(ranked) - len(drawn)} of the runs rank no systems: {'; '.join(reasons)}."]
        if drawn and reasons
        else [],
    )


@dataclass(frozen=True, slots=True)
class TabMaker:
    """A tab. form: reads the choices of an address. content: of the chosen runs, of which there is at least one."""

    title: str
    form: Callable[[Address, Study, Sequence[Run]], QuestionForm]
    content: Callable[[Any], ChartTab]


def _report_form(form: type[ReportTabForm]) -> Callable[[Address, Study, Sequence[Run]], QuestionForm]:
    return lambda address, study, runs: form(address, study=study, runs=runs)


CHART_TABS: Mapping[str, TabMaker] = MappingProxyType(
    {
        "curves": TabMaker("Curves", curves_form, curves_tab),
        "bias": TabMaker("Position bias", _report_form(ReportTabForm), bias_tab),
        "coverage": TabMaker("Coverage", _report_form(CoverageForm), coverage_tab),
        "agreement": TabMaker("Agreement", _report_form(AgreementTabForm), agreement_tab),
        "calibration": TabMaker("Calibration", _report_form(CoverageForm), calibration_tab),
        "length": TabMaker("Length", _report_form(ReportTabForm), length_tab),
        "score-gap": TabMaker("Score gap", _report_form(CoverageForm), score_gap_tab),
        "systems": TabMaker("Systems", _report_form(SystemsForm), systems_tab),
    }
)
"""name -> tab, in the order of pages."""
