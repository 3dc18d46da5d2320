"""The tab of ranked systems."""

from __future__ import annotations

from rankings.report.number_text import ranking_title
from rankings.studies.charts.chart_tab import ChartTab, named_charts
from rankings.studies.charts.report_form import SystemsForm
from rankings.studies.charts.run_labels import run_labels
from rankings.studies.charts.run_panels import panels_of_runs
from rankings.studies.charts.run_table import table_of_runs
from rankings.studies.charts.systems.system_ranks import (
    best_systems_sentence,
    questions_without_systems,
    ranked_systems,
    ranks_table,
    system_charts,
)
from rankings.tables.table import TableStyle


def systems_tab(form: SystemsForm) -> ChartTab:
    """Return the ranks of the systems by the chosen runs and by people."""
    runs, ranking = form.chosen_runs, form.chosen_ranking
    ranked = ranked_systems(runs, run_labels(runs, form.names), form.answers_choice, ranking=ranking)
    drawn = [one for one in ranked if not one.undefined]
    panels = panels_of_runs([one.run for one in drawn], form.names, {})
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
