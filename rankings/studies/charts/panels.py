"""Panels: charts of a few runs each, on the same axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from judging.models import Run
from rankings.charts.dot_chart import fitting
from rankings.charts.line_chart import (
    LEGEND,
    DrawnLine,
    end_labels,
    label_room,
    legend_below,
    line_traces,
)
from rankings.charts.palette import line_colour, line_symbol
from rankings.charts.plotly_chart import Chart, Layout, Trace, figure
from rankings.studies.charts.run_labels import question_of, question_titles
from rankings.studies.pivot import SEPARATOR

MOST_LINES = 5
MOST_PANELS = 8
"""Charts of one run each on a page. The table has all runs."""
PANEL_HEIGHT, LONGEST_LABEL = 340, 26  # pixels, characters
LEGEND_BELOW = 480  # pixels; wider panels have room for names at the lines


@dataclass(frozen=True, slots=True)
class RunPanel:
    """The runs of one chart, of one dataset and attribute. title: "" where the page has one panel."""

    title: str
    runs: Sequence[Run]


@dataclass(frozen=True, slots=True)
class LineLooks:
    """The name, colour and mark of a run's line."""

    name: str
    colour: str
    symbol: str


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


def panels_of_runs(runs: Sequence[Run], *, most: int = MOST_LINES) -> list[RunPanel]:
    """Return the runs by dataset and attribute, at most `most` in a panel."""
    titles = question_titles(runs)
    panels = []
    for question, title in titles.items():
        parts = evenly_split([run for run in runs if question_of(run) == question], most=most)
        for number, part in enumerate(parts, start=1):
            place = f"{number} of {len(parts)}" if len(parts) > 1 else ""
            panels.append(RunPanel(", ".join(filter(None, [title if len(titles) > 1 else "", place])), part))
    return panels


def titles_of_runs(runs: Sequence[Run], labels: Mapping[int, str]) -> dict[int, str]:
    """Return run -> its label, behind its dataset and attribute where these differ."""
    titles = question_titles(runs)
    return {run.pk: SEPARATOR.join([titles[question_of(run)]] * (len(titles) > 1) + [labels[run.pk]]) for run in runs}


def evenly_split(runs: Sequence[Run], *, most: int) -> list[Sequence[Run]]:
    """Split runs into the fewest parts of at most `most`, of nearly equal length."""
    n_parts = -(-len(runs) // most)
    ends = [round(len(runs) * part / n_parts) for part in range(n_parts + 1)] if n_parts else [0]
    return [runs[start:end] for start, end in pairwise(ends)]


def looks_of_lines(panels: Sequence[RunPanel], labels: Mapping[int, str]) -> list[list[LineLooks]]:
    """Return the looks of each line of each panel. A label keeps its colour in all panels where possible."""
    order = list(dict.fromkeys(labels[run.pk] for panel in panels for run in panel.runs))
    return [_looks([labels[run.pk] for run in panel.runs], order) for panel in panels]


def _looks(labels: Sequence[str], order: Sequence[str]) -> list[LineLooks]:
    places = [order.index(label) for label in labels]
    if len({line_colour(place) for place in places}) < len(places):  # two of one colour would be confused
        places = list(range(len(places)))
    names = fitting(labels, LONGEST_LABEL)
    return [LineLooks(name, line_colour(place), line_symbol(place)) for name, place in zip(names, places, strict=True)]


def line_charts(panels: Sequence[RunPanel], lines: Sequence[Sequence[DrawnLine]], axes: PanelAxes) -> list[Chart]:
    """Draw the lines of each panel on the same axes, with their names at the right. axes.y: needs a range."""
    room = label_room([line for of_panel in lines for line in of_panel])
    return [
        figure(
            [*axes.background, *line_traces(drawn)],
            {
                "height": PANEL_HEIGHT,
                "margin": {"r": room},
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
