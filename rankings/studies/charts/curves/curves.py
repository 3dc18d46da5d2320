"""The ranking curves of the runs of a study by one ranking and selection, and the panels in which they are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.numerics.figure import defined
from judging.models import Run
from rankings.charts.line_chart import DrawnLine, padded, x_span, y_span
from rankings.charts.palette import PEOPLE, SOFT
from rankings.charts.plotly_chart import Chart, line_across
from rankings.curves.curve_chart import line_of_points, whole_steps
from rankings.curves.curve_choice import CurveChoice
from rankings.curves.curve_records import Point
from rankings.curves.curve_report import curve_reports
from rankings.studies.charts.panels import PanelAxes, line_charts, looks_of_lines
from rankings.studies.charts.run_labels import run_labels
from rankings.studies.charts.run_panels import RunPanel, panels_of_runs
from rankings.studies.dimensions import Names

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


def panels_of_curves(curves: Sequence[CurveOfRun], names: Mapping[int, Names]) -> list[RunPanel]:
    """Return the panels of the runs whose curve has a point, those with the best value of all comparisons first."""
    values = {curve.run.pk: defined(curve.drawn[-1].mean) for curve in curves if curve.drawn}
    return panels_of_runs([curve.run for curve in curves if curve.drawn], names, values)


def curve_charts(
    curves: Sequence[CurveOfRun], panels: Sequence[RunPanel], *, measure: str, budget: float | None, subject: str
) -> list[Chart]:
    """Draw the panels on the same axes. budget: marked by a line. subject: ranking and selection, for the caption."""
    if not panels:
        return []
    of_run = {curve.run.pk: curve for curve in curves}
    looks = looks_of_lines(panels, {run: curve.label for run, curve in of_run.items()})
    lines = [
        [
            line_of_points(of_run[run.pk].drawn, one.name, colour=one.colour, symbol=one.symbol, series=one.series)
            for run, one in zip(panel.runs, of_panel, strict=True)
        ]
        + lines_of_people([of_run[run.pk] for run in panel.runs])
        for panel, of_panel in zip(panels, looks, strict=True)
    ]
    every = [line for of_panel in lines for line in of_panel]
    draws = max(point.draws for curve in curves for point in curve.drawn)
    has_people = any(line.colour == PEOPLE for line in every)
    x = x_span(every)
    axes = PanelAxes(
        name="curves",
        note=f"{subject}. Lines: means of {draws:,} draws of the comparisons; bands: the middle 95 % of the draws.",
        x={"title": f"Comparisons {'or votes ' * has_people}per context", "range": padded(x, share=0.02, least=0.5)}
        | whole_steps(x),
        y={"title": measure, "range": padded(y_span(every), share=0.06, least=0.01)},
        shapes=[] if budget is None else [budget_line(budget)],
    )
    return line_charts(panels, lines, axes)


def lines_of_people(curves: Sequence[CurveOfRun]) -> list[DrawnLine]:
    """Return the distinct curves of people; runs on other contexts have other curves of people."""
    different: list[tuple[str, Sequence[Point]]] = []
    for curve in curves:
        if curve.people and all(curve.people != points for _, points in different):
            different.append((curve.label, curve.people))
    return [
        line_of_points(
            points,
            PEOPLE_NAME if len(different) == 1 else f"{PEOPLE_NAME}, contexts of {label}",
            colour=PEOPLE,
            symbol="circle",
            width=4,
        )
        for label, points in different
    ]


def budget_line(budget: float) -> dict[str, object]:
    """Return a dotted line at a budget."""
    return line_across(budget, color=SOFT, width=1, dash="dot")
