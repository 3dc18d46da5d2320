"""Accuracy of the runs of a study by the difference in length of the two texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from judging.models import Run
from rankings.charts.line_chart import DrawnLine, padded, y_span
from rankings.charts.plotly_chart import Chart
from rankings.numerics import Figure
from rankings.numerics.figure import defined
from rankings.numerics.length_preference import GAP_EDGES
from rankings.report.number_text import percent
from rankings.report.report_row import LengthPreference
from rankings.studies.charts.panels import PanelAxes, RunPanel, line_charts, looks_of_lines, panels_of_runs
from rankings.studies.pivot_source import RunParts
from rankings.tables.table import Column

GAP_TITLES = tuple(f"{100 * low:.0f}–{100 * high:.0f}\u202f%" for low, high in pairwise(GAP_EDGES))
LENGTH_NOTE = "Difference in characters as a share of the longer text; bands: 95 % intervals over contexts."
LONGER_OR_SHORTER = {"accuracy_longer_right": "longer is right", "accuracy_shorter_right": "shorter is right"}
HALF_OF_DECISIONS = 0.5


@dataclass(frozen=True, slots=True)
class LengthsOfRun:
    """The preference of a run for longer texts. own: None without an answer in the subset."""

    run: Run
    label: str
    own: LengthPreference | None

    @property
    def by_gap(self) -> list[Figure]:
        return [one.accuracy for one in self.own.accuracy_by_gap] if self.own else []

    @property
    def drawn(self) -> list[tuple[int, Figure]]:
        """Return the place and the accuracy of each gap with a value."""
        return [(place, one) for place, one in enumerate(self.by_gap) if one.value is not None]

    def figures(self, reason: str) -> list[Figure | None]:
        """Return the figures of the table. reason: why a run without `own` has none."""
        if self.own is None:
            return [Figure.missing(reason)] * (len(GAP_TITLES) + len(LONGER_OR_SHORTER) + 1)
        return [*self.by_gap, *(getattr(self.own, name) for name in LONGER_OR_SHORTER), self.own.share]


def lengths_of_runs(parts: Sequence[RunParts], subset: str, labels: Mapping[int, str]) -> list[LengthsOfRun]:
    """Return the preference of each run."""
    return [
        LengthsOfRun(
            part.run, labels[part.run.pk], part.rows[subset].length_preference if subset in part.rows else None
        )
        for part in parts
    ]


def panels_of_lengths(lengths: Sequence[LengthsOfRun]) -> list[RunPanel]:
    """Return the panels of the runs with an accuracy."""
    return panels_of_runs([one.run for one in lengths if one.drawn])


def length_charts(lengths: Sequence[LengthsOfRun], panels: Sequence[RunPanel]) -> list[Chart]:
    """Draw accuracy against the difference in length, a line for each run."""
    if not panels:
        return []
    of_run = {one.run.pk: one for one in lengths}
    looks = looks_of_lines(panels, {run: one.label for run, one in of_run.items()})
    lines = [
        [
            _line(of_run[run.pk].drawn, name=one.name, colour=one.colour, symbol=one.symbol)
            for run, one in zip(panel.runs, of_panel, strict=True)
        ]
        for panel, of_panel in zip(panels, looks, strict=True)
    ]
    low, high = padded(y_span([line for of_panel in lines for line in of_panel]), share=0.06, least=0.01)
    places = list(range(len(GAP_TITLES)))
    axes = PanelAxes(
        name="length",
        note=LENGTH_NOTE,
        x={"title": "Difference in length", "tickvals": places, "ticktext": list(GAP_TITLES)}
        | {"range": [-0.2, len(places) - 0.8]},
        y={"title": "Accuracy", "tickformat": ".0%", "range": [max(low, -0.02), min(high, 1.02)]},
    )
    return line_charts(panels, lines, axes)


def length_columns() -> list[Column]:
    """Return the columns of the table."""
    definition = "report/#length_preference"
    by_gap = [
        Column(name=f"gap_{place}", title=title, group="Accuracy by gap", marks_best=True, definition=definition)
        for place, title in enumerate(GAP_TITLES, start=1)
    ]
    by_side = [
        Column(name=name, title=title, group="Accuracy where", definition=definition)
        for name, title in LONGER_OR_SHORTER.items()
    ]
    preference = Column(name="length_preference", title="Prefers longer", definition=definition, reference=0.5)
    return [*by_gap, *by_side, preference]


def longer_text_sentence(lengths: Sequence[LengthsOfRun]) -> str:
    """Write the run that is furthest from choosing the longer text half of the time; "" without one."""
    known = [one for one in lengths if one.own and one.own.share.value is not None]
    if not known:
        return ""
    shares = {one.label: defined(one.own.share.value) for one in known if one.own}
    label = max(shares, key=lambda name: abs(shares[name] - HALF_OF_DECISIONS))
    people = next((one.own.human.value for one in known if one.own and one.label == label), None)
    beside = "" if people is None else f"; people prefer it in {percent(people)}"
    return f"{label} prefers the longer text in {percent(shares[label])} of its decisions{beside}."


def _line(parts: Sequence[tuple[int, Figure]], *, name: str, colour: str, symbol: str) -> DrawnLine:
    """Return the line of a run. An accuracy without an interval has no band."""
    values = [(defined(one.value), one) for _, one in parts]
    return DrawnLine(
        name,
        [place for place, _ in parts],
        [value for value, _ in values],
        [value if one.low is None else one.low for value, one in values],
        [value if one.high is None else one.high for value, one in values],
        colour=colour,
        symbol=symbol,
        hover="%{y:.1%}",
    )
