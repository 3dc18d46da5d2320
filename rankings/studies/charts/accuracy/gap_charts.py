"""Charts of accuracy by a difference between the two texts, in bins, a line for each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from judging.models import Run
from rankings.charts.line_chart import padded, y_span
from rankings.charts.plotly_chart import Chart
from rankings.studies.charts.panels import PanelAxes, line_charts, lines_of_runs
from rankings.studies.charts.run_panels import RunPanel, panels_of_runs
from rankings.studies.dimensions import Names


@dataclass(frozen=True, slots=True)
class GapsOfRun:
    """The accuracy of a run in each bin of a difference."""

    run: Run
    label: str
    by_gap: Sequence[Figure]

    @property
    def drawn(self) -> list[tuple[int, Figure]]:
        """Return the place and the accuracy of each bin with a value."""
        return [(place, one) for place, one in enumerate(self.by_gap) if one.value is not None]


def bin_titles(edges: Sequence[float]) -> tuple[str, ...]:
    """Return the title of each bin between edges, which are shares."""
    return tuple(f"{100 * low:.0f}–{100 * high:.0f}\u202f%" for low, high in pairwise(edges))


def panels_of_gaps(gaps: Sequence[GapsOfRun], names: Mapping[int, Names]) -> list[RunPanel]:
    """Return the panels of the runs with an accuracy, those with the best mean over the bins first."""
    drawn = [one for one in gaps if one.drawn]
    means = {one.run.pk: fmean(defined(accuracy.value) for _, accuracy in one.drawn) for one in drawn}
    return panels_of_runs([one.run for one in drawn], names, means)


def gap_charts(
    gaps: Sequence[GapsOfRun], panels: Sequence[RunPanel], *, name: str, title: str, bins: Sequence[str], note: str
) -> list[Chart]:
    """Draw accuracy against the difference. name: of the files. title: of the difference. bins: their titles."""
    if not panels:
        return []
    lines = lines_of_runs(gaps, panels, hover="%{y:.1%}")
    low, high = padded(y_span([line for of_panel in lines for line in of_panel]), share=0.06, least=0.01)
    places = list(range(len(bins)))
    axes = PanelAxes(
        name=name,
        note=note,
        x={"title": title, "tickvals": places, "ticktext": list(bins), "range": [-0.2, len(places) - 0.8]},
        y={"title": "Accuracy", "tickformat": ".0%", "range": [max(low, -0.02), min(high, 1.02)]},
    )
    return line_charts(panels, lines, axes)
