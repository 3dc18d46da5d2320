"""The tab of ranked systems."""

from __future__ import annotations

from typing import Annotated

from evenhand.numerics import DEFAULT_RANKING, RANKING_TITLES
from evenhand.options import Option
from rankings.report.number_text import ranking_title
from rankings.studies.charts.chart_tab import ChartTab, named_charts
from rankings.studies.charts.chosen_runs import ChosenRuns, Debias
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

SystemsRanking = Annotated[str, Option("Orders the systems.", "Ranking", choices=RANKING_TITLES)]


def systems_tab(chosen: ChosenRuns, *, ranking: SystemsRanking = DEFAULT_RANKING, debias: Debias = False) -> ChartTab:
    """Draw the ranks of the systems by each run and by people."""
    answers = chosen.answers(debiased=debias)
    ranked = ranked_systems(chosen.runs, chosen.labels, answers, ranking=ranking)
    drawn = [one for one in ranked if not one.undefined]
    panels = panels_of_runs([one.run for one in drawn], chosen.names, {})
    charts = system_charts(drawn, panels)
    reasons = questions_without_systems(ranked)
    return ChartTab(
        name="systems",
        title=f"Ranks of systems, {ranking_title(ranking)}, {'debiased' if debias else 'raw'}",
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
