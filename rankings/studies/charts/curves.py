"""The ranking curves of the runs of a study by one ranking and selection, and the panels in which they are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from judging.models import Run
from rankings.charts.dot_chart import fitting
from rankings.charts.palette import PEOPLE, SOFT, line_colour, line_symbol
from rankings.charts.plotly_chart import Chart, figure
from rankings.curves.curve_chart import (
    CHARACTER_WIDTH,
    DrawnLine,
    band_trace,
    end_labels,
    legend_below,
    line_trace,
    padded,
    span,
    whole_steps,
)
from rankings.curves.curve_choice import CurveChoice
from rankings.curves.curve_records import Point
from rankings.curves.curve_report import curve_reports
from rankings.studies.charts.run_labels import question_of, question_titles, run_labels
from rankings.studies.dimensions import Names

MOST_LINES = 5
HEIGHT, LONGEST_LABEL = 340, 24  # pixels, characters
LEGEND_BELOW = 480  # pixels; wider panels have room for names at the lines
PEOPLE_NAME = "people"


@dataclass(frozen=True, slots=True)
class CurveOfRun:
    """The points of one run, and of the human votes on the same contexts. label: its name among the runs."""

    run: Run
    label: str
    points: Sequence[Point]
    people: Sequence[Point]

    @property
    def drawn(self) -> list[Point]:
        """Return the points with a value."""
        return [point for point in self.points if point.mean is not None]

    @property
    def undefined(self) -> str:
        """Return why no point has a value."""
        return next((point.undefined for point in self.points if point.undefined), "") or "no value"


@dataclass(frozen=True, slots=True)
class CurvePanel:
    """Curves in one chart. title: what its runs share; "" where the page has one panel."""

    title: str
    curves: Sequence[CurveOfRun]


def curves_of_runs(runs: Sequence[Run], names: Mapping[int, Names], choice: CurveChoice) -> list[CurveOfRun]:
    """Return the curve of each run that compares. choice: one ranking, selection and bias."""
    comparing = [run for run in runs if not run.is_scoring]
    reports, labels = curve_reports(comparing, choice), run_labels(comparing, names)
    return [
        CurveOfRun(
            run,
            labels[run.pk],
            [point for point in reports[run].points if point.source == "judge"],
            [point for point in reports[run].points if point.source == "people" and point.mean is not None],
        )
        for run in comparing
    ]


def panels_of(curves: Sequence[CurveOfRun]) -> list[CurvePanel]:
    """Return the curves by dataset and attribute, at most MOST_LINES in a panel."""
    titles = question_titles([curve.run for curve in curves])
    panels = []
    for question, title in titles.items():
        drawn = [curve for curve in curves if question_of(curve.run) == question and curve.drawn]
        parts = evenly_split(drawn, most=MOST_LINES)
        for number, part in enumerate(parts, start=1):
            place = f"{number} of {len(parts)}" if len(parts) > 1 else ""
            panels.append(CurvePanel(", ".join(filter(None, [title if len(titles) > 1 else "", place])), part))
    return panels


def evenly_split(curves: Sequence[CurveOfRun], *, most: int) -> list[Sequence[CurveOfRun]]:
    """Split curves into the fewest parts of at most `most`, of nearly equal length."""
    n_parts = -(-len(curves) // most)
    ends = [round(len(curves) * part / n_parts) for part in range(n_parts + 1)] if n_parts else [0]
    return [curves[start:end] for start, end in pairwise(ends)]


def curve_charts(panels: Sequence[CurvePanel], *, measure: str, budget: float | None, subject: str) -> list[Chart]:
    """Draw the panels on the same axes. budget: marked by a line. subject: ranking and selection, for the caption."""
    lines = [lines_of(panel, labels_in_order(panels)) for panel in panels]
    every = [line for of_panel in lines for line in of_panel]
    if not every:
        return []
    has_people = any(line.colour == PEOPLE for line in every)
    comparisons = span(every, "comparisons")
    y_range = padded(span(every, "low", "high"), share=0.06, least=0.01)
    draws = max(point.draws for line in every for point in line.points)
    x_title = "Comparisons or votes per context" if has_people else "Comparisons per context"
    charts = []
    for number, (panel, drawn) in enumerate(zip(panels, lines, strict=True), start=1):
        layout = {
            "height": HEIGHT,
            "margin": {"r": round(24 + max(len(line.name) for line in every) * CHARACTER_WIDTH)},
            "xaxis": {"title": x_title, "range": padded(comparisons, share=0.02, least=0.5)} | whole_steps(comparisons),
            "yaxis": {"title": measure, "range": y_range},
            "annotations": end_labels(drawn, y_range, height=HEIGHT),
            "legend": {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom"},
            "shapes": [] if budget is None else [budget_line(budget)],
        }
        note = f"{subject}. Lines: means of {draws:,} draws of the comparisons; bands: the middle 95 % of the draws."
        charts.append(
            figure(
                [trace for line in drawn for trace in (band_trace(line), line_trace(line))],
                layout,
                name="curves" if len(panels) == 1 else f"curves-{number}",
                note=f"{panel.title}. {note}" if panel.title else note,
                narrow=legend_below(len(drawn), height=HEIGHT),
                narrow_below=LEGEND_BELOW,
            )
        )
    return charts


def labels_in_order(panels: Sequence[CurvePanel]) -> list[str]:
    """Return the labels of all panels. A label has the same colour in each."""
    return list(dict.fromkeys(curve.label for panel in panels for curve in panel.curves))


def lines_of(panel: CurvePanel, labels: Sequence[str]) -> list[DrawnLine]:
    """Return the lines of a panel, people last, so that they lie on top."""
    places = [labels.index(curve.label) for curve in panel.curves]
    if len({line_colour(place) for place in places}) < len(places):  # two of one colour would be confused
        places = list(range(len(places)))
    texts = fitting([curve.label for curve in panel.curves], LONGEST_LABEL)
    lines = [
        DrawnLine(text, curve.drawn, colour=line_colour(place), symbol=line_symbol(place))
        for text, curve, place in zip(texts, panel.curves, places, strict=True)
    ]
    return [*lines, *lines_of_people(panel)]


def lines_of_people(panel: CurvePanel) -> list[DrawnLine]:
    """Return the distinct curves of people; runs on other contexts have other curves of people."""
    different: list[tuple[str, Sequence[Point]]] = []
    for curve in panel.curves:
        if curve.people and all(curve.people != points for _, points in different):
            different.append((curve.label, curve.people))
    return [
        DrawnLine(
            PEOPLE_NAME if len(different) == 1 else f"{PEOPLE_NAME}, contexts of {label}",
            points,
            colour=PEOPLE,
            symbol="circle",
            width=4,
        )
        for label, points in different
    ]


def budget_line(budget: float) -> dict[str, object]:
    """Return a dotted line at a budget."""
    line = {"color": SOFT, "width": 1, "dash": "dot"}
    return {"type": "line", "x0": budget, "x1": budget, "yref": "paper", "y0": 0, "y1": 1, "line": line}
