"""Counts in the cells of a grid, shaded by their logarithm."""

from collections.abc import Sequence
from itertools import pairwise
from math import log, sqrt

from rankings.charts.palette import LINE, line_colour
from rankings.charts.plotly_chart import Layout, Trace, colour_bar


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
