"""Panels, charts of a few runs each on the same axes; and `line_tab`: a tab with a line and a row for each run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from evenhand.numerics import Figure
from judging.models import Run
from rankings.charts.dot_chart import fitting
from rankings.charts.line_chart import (
    LEGEND,
    DrawnLine,
    end_labels,
    label_room,
    legend_below,
    line_of_figures,
    line_traces,
    padded,
    y_span,
)
from rankings.charts.palette import line_colour, line_symbol
from rankings.charts.plotly_chart import Chart, Layout, Trace, figure
from rankings.studies.charts.chart_tab import ChartTab, named_charts
from rankings.studies.charts.chosen_runs import ChosenRuns
from rankings.studies.charts.run_panels import RunPanel, panels_of_runs, question_of, question_titles, table_of_runs
from rankings.studies.pivots.pivot import SEPARATOR
from rankings.tables.table import Column

MOST_PANELS = 8
"""Charts of one run each on a page. The table has all runs."""
PANEL_HEIGHT, LONGEST_LABEL = 340, 26  # pixels, characters
LEGEND_BELOW = 480  # pixels; wider panels have room for names at the lines


@dataclass(frozen=True, slots=True)
class LineLooks:
    """The name, colour and mark of a run's line. series: its name in files, where a panel has no title."""

    name: str
    colour: str
    symbol: str
    series: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelAxes:
    """Axes, name and caption that all panels of a page share.

    name, note: of the charts’ files. background: below the lines.
    """

    name: str
    note: str
    x: Layout
    y: Layout
    shapes: Sequence[Layout] = ()
    background: Sequence[Trace] = ()


def titles_of_runs(runs: Sequence[Run], labels: Mapping[int, str]) -> dict[int, str]:
    """Return run -> its label, behind its dataset and attribute where these differ."""
    titles = question_titles(runs)
    return {run.pk: SEPARATOR.join([titles[question_of(run)]] * (len(titles) > 1) + [labels[run.pk]]) for run in runs}


def looks_of_lines(panels: Sequence[RunPanel], labels: Mapping[int, str]) -> list[list[LineLooks]]:
    """Return the looks of each line of each panel. A name keeps its colour in all panels where possible.

    labels: run -> its label among all runs, for files.
    """
    order = list(dict.fromkeys(label for panel in panels for label in panel.labels))
    return [_looks(panel, order, labels) for panel in panels]


def _looks(panel: RunPanel, order: Sequence[str], labels: Mapping[int, str]) -> list[LineLooks]:
    places = [order.index(label) for label in panel.labels]
    if len({line_colour(place) for place in places}) < len(places):  # two of one colour would be confused
        places = list(range(len(places)))
    names = fitting(panel.labels, LONGEST_LABEL)
    return [
        LineLooks(name, line_colour(place), line_symbol(place), labels[run.pk])
        for run, name, place in zip(panel.runs, names, places, strict=True)
    ]


def lines_of_runs(
    drawn: Mapping[int, Sequence[tuple[float, Figure]]],
    labels: Mapping[int, str],
    panels: Sequence[RunPanel],
    *,
    hover: str,
) -> list[list[DrawnLine]]:
    """Return the lines of each panel. drawn: run -> figures, each at its x. hover: of a point, as plotly reads it."""
    looks = looks_of_lines(panels, labels)
    return [
        [
            line_of_figures(
                one.name, drawn[run.pk], colour=one.colour, symbol=one.symbol, series=one.series, hover=hover
            )
            for run, one in zip(panel.runs, of_panel, strict=True)
        ]
        for panel, of_panel in zip(panels, looks, strict=True)
    ]


def line_charts(panels: Sequence[RunPanel], lines: Sequence[Sequence[DrawnLine]], axes: PanelAxes) -> list[Chart]:
    """Draw the lines of each panel on the same axes and margins, with their names at the right.

    axes.y: needs a range.
    """
    room = label_room([line for of_panel in lines for line in of_panel])
    return [
        figure(
            [*axes.background, *line_traces(drawn)],
            {
                "height": PANEL_HEIGHT,
                "margin": {"r": room, "autoexpand": False},
                "xaxis": axes.x,
                "yaxis": axes.y,
                "annotations": end_labels(drawn, axes.y["range"], height=PANEL_HEIGHT),
                "legend": LEGEND,
                "shapes": list(axes.shapes),
            },
            name=panel_name(axes.name, number, len(panels)),
            note=f"{panel.title}. {axes.note}" if panel.title else axes.note,
            narrow=legend_below(len(drawn), height=PANEL_HEIGHT),
            narrow_below=LEGEND_BELOW,
        )
        for number, (panel, drawn) in enumerate(zip(panels, lines, strict=True), start=1)
    ]


def panel_name(name: str, number: int, of: int) -> str:
    """Return the name of a panel's files. number: from 1."""
    return name if of == 1 else f"{name}-{number}"


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
