"""Accuracy by a difference between the two texts, in bins, a line for each run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from judging.models import Run
from rankings.studies.charts.line_tab import RunLine
from rankings.studies.charts.panels import PanelAxes

GAP_ENDS = (-0.02, 1.02)
GAP_HOVER = "%{y:.1%}"


def bin_titles(edges: Sequence[float]) -> tuple[str, ...]:
    """Return the title of each bin between edges, which are shares."""
    return tuple(f"{100 * low:.0f}–{100 * high:.0f}\u202f%" for low, high in pairwise(edges))


def gap_axes(name: str, title: str, bins: Sequence[str], *, note: str) -> PanelAxes:
    """Return the axes of accuracy against a difference. title: of the difference. bins: their titles."""
    places = list(range(len(bins)))
    x = {"title": title, "tickvals": places, "ticktext": list(bins), "range": [-0.2, len(places) - 0.8]}
    return PanelAxes(name=name, note=note, x=x, y={"title": "Accuracy", "tickformat": ".0%"})


def gap_line(run: Run, by_gap: Sequence[Figure], figures: Sequence[Figure | None], reasons: Sequence[str]) -> RunLine:
    """Return the line of a run. by_gap: the accuracy in each bin. Runs with the best mean over the bins are first."""
    drawn = [(place, one) for place, one in enumerate(by_gap) if one.value is not None]
    return RunLine(run, drawn, figures, fmean(defined(one.value) for _, one in drawn) if drawn else 0, reasons)
