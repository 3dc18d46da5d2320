"""The tab of position bias."""

from __future__ import annotations

from evenhand.numerics.figure import defined
from rankings.studies.charts.bias.position_bias import (
    BIAS_COLUMNS,
    MOST_BIAS_ROWS,
    bias_chart,
    bias_columns,
    bias_range,
    biases_of_runs,
    figures_of_columns,
    most_biased_sentence,
    p_first_of_people,
)
from rankings.studies.charts.chart_tab import ChartTab, named_charts
from rankings.studies.charts.chosen_runs import ChosenRuns
from rankings.studies.charts.panels import panel_name
from rankings.studies.charts.run_labels import question_of
from rankings.studies.charts.run_panels import panels_of_runs
from rankings.studies.charts.run_table import table_of_runs
from rankings.studies.pivots.pivot_source import parts_of_runs


def bias_tab(chosen: ChosenRuns) -> ChartTab:
    """Draw P(first), raw and debiased."""
    runs, subset = chosen.runs, chosen.subset
    parts, labels, columns = parts_of_runs(runs, chosen.rows), chosen.labels, bias_columns()
    biases, people = biases_of_runs(parts, subset, labels), p_first_of_people(parts, subset)
    heights = {run: defined(bias.raw.value) for run, bias in biases.items()}
    panels = panels_of_runs([run for run in runs if run.pk in biases], chosen.names, heights, most=MOST_BIAS_ROWS)
    x_range = bias_range(list(biases.values()), list(people.values()))
    charts = [
        bias_chart(
            [biases[run.pk] for run in panel.runs],
            panel.labels,
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
