"""The tabs of accuracy: by coverage, length and difference in scores; and that of calibration."""

from __future__ import annotations

from rankings.studies.charts.accuracy.calibration import (
    best_calibrated_sentence,
    calibration_charts,
    calibration_columns,
    calibrations_of_runs,
    panels_of_calibrations,
)
from rankings.studies.charts.accuracy.coverage import (
    TABLE_COVERAGES,
    coverage_charts,
    coverage_columns,
    coverage_sentence,
    coverages_of_runs,
    panels_of_coverages,
)
from rankings.studies.charts.accuracy.gap_charts import gap_charts, panels_of_gaps
from rankings.studies.charts.accuracy.length_gaps import (
    GAP_TITLES,
    LENGTH_NOTE,
    length_columns,
    length_gaps_of_runs,
    lengths_of_runs,
    longer_text_sentence,
)
from rankings.studies.charts.accuracy.score_gaps import (
    SCORE_GAP_NOTE,
    SCORE_GAP_TITLES,
    score_gap_columns,
    score_gap_sentence,
    score_gaps_of_runs,
)
from rankings.studies.charts.chart_tab import ChartTab, named_charts
from rankings.studies.charts.report_form import CoverageForm, ReportTabForm
from rankings.studies.charts.run_labels import run_labels
from rankings.studies.charts.run_table import table_of_runs
from rankings.studies.pivots.pivot_source import NO_RECORD, parts_of_runs


def coverage_tab(form: CoverageForm) -> ChartTab:
    """Return accuracy against coverage of the chosen runs."""
    runs, columns = form.chosen_runs, coverage_columns()
    labels = run_labels(runs, form.names)
    coverages = coverages_of_runs(runs, labels, form.answers_choice)
    panels = panels_of_coverages(coverages, form.names)
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
    runs = form.chosen_runs
    labels = run_labels(runs, form.names)
    calibrations = calibrations_of_runs(runs, labels, form.answers_choice)
    panels = panels_of_calibrations(calibrations, form.names)
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
    panels = panels_of_gaps(gaps, form.names)
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
    runs = form.chosen_runs
    labels = run_labels(runs, form.names)
    gaps = score_gaps_of_runs(runs, labels, form.answers_choice)
    panels = panels_of_gaps(gaps, form.names)
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
