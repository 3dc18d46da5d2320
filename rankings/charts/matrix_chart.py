"""Grids of shaded cells: a square matrix of numbers with a name for each row, and counts by their logarithm."""

from collections.abc import Sequence
from itertools import pairwise
from math import log, sqrt

from rankings.charts.dot_chart import LONGEST_NAME_ON_A_PHONE, fitting
from rankings.charts.palette import CELL_SHADES, INK, LINE, SUNKEN, Shades, line_colour
from rankings.charts.plotly_chart import Chart, Layout, Trace, colour_bar, figure

LONGEST_ROW_NAME = 34  # characters
AROUND_ROWS, ROW_PIXELS, ROW_PIXELS_ON_A_PHONE = 120, 34, 24
MOST_WITH_NUMBERS = 20
"""Larger matrices have no number in their cells; it is shown at the pointer."""


def matrix_chart(
    names: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    name: str,
    title: str,
    note: str,
    ends: tuple[float, float],
    shades: Shades = CELL_SHADES,
) -> Chart:
    """Draw a cell for each pair of names. title: of the columns. ends: the values of the first and the last shade.

    values: None for an empty cell. Pages leave out numbers that would be too small to read (static/js/chart.js).
    """
    layout = _axes(names, title) | {"plot_bgcolor": SUNKEN, "coloraxis": _scale(ends, shades)}
    return figure([_cells(names, values)], layout, name=name, note=note, narrow=_narrow(names))


def _cells(names: Sequence[str], values: Sequence[Sequence[float | None]]) -> Trace:
    places = list(range(len(names)))
    return {
        "type": "heatmap",
        "x": places,
        "y": places,
        "z": [list(row) for row in values],
        "text": [["" if value is None else f"{value:.2f}" for value in row] for row in values],
        "textfont": {"color": INK},
        "meta": {"names": list(names)},
        "coloraxis": "coloraxis",
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
        "hovertemplate": "%{y}, %{x}: %{text}<extra></extra>",
    } | ({"texttemplate": "%{text}"} if len(names) <= MOST_WITH_NUMBERS else {})


def _axes(names: Sequence[str], title: str) -> Layout:
    """Return the axes: rows have their name and number, columns their number."""
    places, range_from_left = list(range(len(names))), [-0.5, len(names) - 0.5]
    x = {"tickvals": places, "ticktext": [str(place + 1) for place in places], "range": range_from_left}
    y = {"tickvals": places, "ticktext": _numbered(names, LONGEST_ROW_NAME), "range": range_from_left[::-1]}
    return {
        "height": AROUND_ROWS + ROW_PIXELS * len(names),
        "xaxis": x | {"showgrid": False, "title": title},
        "yaxis": y | {"showgrid": False},
    }


def _numbered(names: Sequence[str], longest: int) -> list[str]:
    return [f"{text}  {place}" for place, text in enumerate(fitting(names, longest), start=1)]


def _scale(ends: tuple[float, float], shades: Shades) -> Layout:
    low, high = ends
    return {
        "colorscale": [list(shade) for shade in shades],
        "cmin": low,
        "cmax": high,
        "colorbar": colour_bar("", {tick: f"{tick:.1f}" for tick in (low, (low + high) / 2, high)}),
    }


def _narrow(names: Sequence[str]) -> Layout:
    """Return the layout on a phone: lower rows, and the scale above the cells."""
    return {
        "height": AROUND_ROWS + ROW_PIXELS_ON_A_PHONE * len(names),
        "margin": {"t": 40},
        "xaxis": {"tickangle": 0, "tickfont": {"size": 10}},
        "yaxis": {"ticktext": _numbered(names, LONGEST_NAME_ON_A_PHONE)},
        "coloraxis": {"colorbar": {"orientation": "h", "y": 1, "yanchor": "bottom", "thickness": 10}},
    }


def middles(edges: Sequence[float]) -> list[float]:
    """Return the middle of each bin."""
    return [(low + high) / 2 for low, high in pairwise(edges)]


def counts_trace(x: Sequence[float], y: Sequence[float], counts: Sequence[Sequence[int]], *, hover: str) -> Trace:
    """Draw a cell for each count. Its shade is the logarithm, so that small counts are visible.

    counts: rows along y. hover: the text at a cell, as plotly reads it.
    """
    return {
        "type": "heatmap",
        "x": list(x),
        "y": list(y),
        "z": [[log(n) if n else None for n in row] for row in counts],
        "text": [list(row) for row in counts],
        "coloraxis": "coloraxis",
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
        "hovertemplate": f"{hover}<extra></extra>",
    }


def shades_of_counts(most: int, *, noun: str) -> Layout:
    """Return the scale of shades, from one to the most in a cell. noun: for what is counted."""
    ticks = {log(n): f"{n:,}" for n in sorted({1, round(sqrt(most)), most} - {0})}
    return {
        "colorscale": [[0, LINE], [1, line_colour(0)]],
        "cmin": 0,
        "cmax": log(max(most, 2)),
        "colorbar": colour_bar(noun, ticks),
    }
