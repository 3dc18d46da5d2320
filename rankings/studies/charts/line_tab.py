"""`line_tab`: a tab with a line for each run, in panels on the same axes, and a row for each run in its table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from evenhand.numerics import Figure
from judging.models import Run
from rankings.charts.line_chart import padded, y_span
from rankings.studies.charts.chart_tab import ChartTab, named_charts
from rankings.studies.charts.chosen_runs import ChosenRuns
from rankings.studies.charts.panels import PanelAxes, line_charts, lines_of_runs
from rankings.studies.charts.run_panels import panels_of_runs
from rankings.studies.charts.run_table import table_of_runs
from rankings.tables.table import Column

SHARE = (-inf, 1.02)
"""The ends of an axis of shares, with room for a line at 1."""


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run with its line and its row.

    drawn: the figures of the line, each at its x. figures: of the row. height: panels begin with the highest run.
    reasons: why nothing is drawn.
    """

    run: Run
    drawn: Sequence[tuple[float, Figure]]
    figures: Sequence[Figure | None]
    height: float
    reasons: Sequence[str] = ()


def line_tab(
    chosen: ChosenRuns,
    lines: Sequence[RunLine],
    columns: Sequence[Column],
    axes: PanelAxes,
    *,
    hover: str,
    ends: tuple[float, float] | None = None,
    page: str = "run-results",
    **more: Any,  # noqa: ANN401 - fields of ChartTab
) -> ChartTab:
    """Draw the runs. ends: of the y-axis, which covers the lines within them; default: as the axes say.

    page: the name of the address of each run.
    """
    drawn = [one for one in lines if one.drawn]
    panels = panels_of_runs([one.run for one in drawn], chosen.names, {one.run.pk: one.height for one in drawn})
    of_panels = lines_of_runs({one.run.pk: one.drawn for one in drawn}, chosen.labels, panels, hover=hover)
    if ends and panels:
        low, high = padded(y_span([line for of_panel in of_panels for line in of_panel]), share=0.06, least=0.01)
        axes = replace(axes, y={**axes.y, "range": [max(low, ends[0]), min(high, ends[1])]})
    charts = line_charts(panels, of_panels, axes) if panels else []
    figures: Mapping[int, Sequence[Figure | None]] = {one.run.pk: one.figures for one in lines}
    return ChartTab(
        name=axes.name,
        charts=named_charts([panel.title for panel in panels], charts),
        table=table_of_runs(columns, chosen.runs, chosen.labels, figures, people={}, page=page),
        empty="" if charts else "; ".join(dict.fromkeys(reason for one in lines for reason in one.reasons)),
        **more,
    )
