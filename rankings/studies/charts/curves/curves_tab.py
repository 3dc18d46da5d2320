"""The tab of ranking curves: its form, charts and table of efficiency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judging.models import HumanScore, Run, Study, Vote
from rankings.report.number_text import ranking_title
from rankings.studies.charts.chart_tab import ChartTab, named_charts
from rankings.studies.charts.curves.curves import CurveOfRun, curve_charts, curves_of_runs, panels_of_curves
from rankings.studies.charts.curves.curves_form import CurvesForm
from rankings.studies.charts.curves.efficiency_table import (
    efficiency_sentence,
    efficiency_table,
    ends_of_budgets,
    usual_budget,
)

MEASURE_AXES = {"spearman": "Spearman’s correlation per context", "accuracy": "Accuracy of the ranking"}


def curves_form(address: Mapping[str, Any], *, study: Study, runs: Sequence[Run]) -> CurvesForm:
    attributes = {run.attribute_id for run in runs}
    has_votes = Vote.objects.in_figures().filter(attribute__in=attributes).exists()
    has_scores = HumanScore.objects.filter(attribute__in=attributes).exists()
    return CurvesForm(address, study=study, runs=runs, has_votes=has_votes, has_scores=has_scores)


def curves_tab(form: CurvesForm) -> ChartTab:
    """Return the curves of the chosen runs, with the table of their efficiency."""
    choice, runs = form.curve_choice, form.chosen_runs
    curves = curves_of_runs(runs, form.names, choice)
    budget = form.offer_budget(*ends_of_budgets(curves), usual_budget(curves))
    panels = panels_of_curves(curves, form.names)
    bias = "debiased" if form.value("debias") else "raw"
    subject = f"{ranking_title(choice.rankings[0])}, {bias}, {choice.selections[0]} pairs"
    charts = curve_charts(curves, panels, measure=MEASURE_AXES[choice.measure], budget=budget, subject=subject)
    table = efficiency_table(curves, measure=choice.measure, budget=budget)
    return ChartTab(
        name="curves",
        title=f"Efficiency: {subject}",
        definition="curves/",
        sentence=efficiency_sentence(table, measure=choice.measure),
        charts=named_charts([panel.title for panel in panels], charts),
        table=table,
        empty="" if charts else why_no_curve(curves),
        notes=curve_notes(curves, len(runs) - len(curves)),
    )


def why_no_curve(curves: list[CurveOfRun]) -> str:
    """Return the reasons why nothing is drawn."""
    reasons = dict.fromkeys(curve.undefined for curve in curves)
    return "; ".join(reasons) or "the chosen runs score candidates one by one, and a curve needs comparisons"


def curve_notes(curves: list[CurveOfRun], n_scoring: int) -> list[str]:
    """Return what a reader of the page should know."""
    notes = ["Values between computed budgets are interpolated. Bands: the middle 95\u202f% of the draws."]
    if n_scoring:
        notes.append(f"{n_scoring} of the runs score candidates one by one and have no curve.")
    if any(curve.people for curve in curves):
        notes.append("All curves of an attribute cover the contexts with enough human votes.")
    return notes
