"""Lines with bands, and their names at the right edge."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from rankings.charts.palette import SOFT
from rankings.charts.plotly_chart import MARGIN, SMALL_TEXT, Chart, Layout, Trace, figure

BAND_OPACITY = 0.12
HEIGHT, LEGEND_LINE, LABEL_GAP = 420, 20, 17  # pixels
CHARACTER_WIDTH = 7.2  # pixels of a character, on average
LEGEND: Layout = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom"}


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line and its band. x, y, low, high: of its points. hover: the text at a point, as plotly reads it.

    series: its name in files; "" for the same name.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    colour: str
    symbol: str
    dash: str = "solid"
    width: int = 2
    hover: str = "%{y:.3f} at %{x}"
    series: str = ""


def line_of_figures(name: str, points: Sequence[tuple[float, Figure]], **looks: Any) -> DrawnLine:  # noqa: ANN401 - the fields of a line
    """Return the line of figures with a value, each at its x. A figure without an interval has no band."""
    values = [defined(one.value) for _, one in points]
    low = [value if one.low is None else one.low for value, (_, one) in zip(values, points, strict=True)]
    high = [value if one.high is None else one.high for value, (_, one) in zip(values, points, strict=True)]
    return DrawnLine(name, [x for x, _ in points], values, low, high, **looks)


def line_traces(lines: Sequence[DrawnLine]) -> list[Trace]:
    """Draw the band and then the line of each."""
    return [trace for line in lines for trace in (band_trace(line), line_trace(line))]


def label_room(lines: Sequence[DrawnLine]) -> int:
    """Return the right margin in pixels that the names of the lines need."""
    return round(24 + max(len(line.name) for line in lines) * CHARACTER_WIDTH)


def band_trace(line: DrawnLine) -> Trace:
    """Draw the band: along its upper edge and back along its lower edge."""
    x = list(line.x)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x + x[::-1],
        "y": [*line.high, *line.low[::-1]],
        "fill": "toself",
        "fillcolor": line.colour,
        "opacity": BAND_OPACITY,
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def line_trace(line: DrawnLine) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": list(line.x),
        "y": list(line.y),
        "name": line.name,
        "meta": {"series": line.series or line.name},
        "line": {"color": line.colour, "width": line.width, "dash": line.dash},
        "marker": {"color": line.colour, "size": 6, "symbol": line.symbol},
        "hovertemplate": f"{line.name}: {line.hover}<extra></extra>",
    }


def diagonal_trace() -> Trace:
    """Draw a dashed line from (0, 0) to (1, 1)."""
    line = {"color": SOFT, "width": 1, "dash": "dash"}
    return {"type": "scatter", "mode": "lines", "x": [0, 1], "y": [0, 1], "line": line, "hoverinfo": "skip"}


def x_span(lines: Sequence[DrawnLine]) -> tuple[float, float]:
    """Return the lowest and the highest x of all points."""
    values = [value for line in lines for value in line.x]
    return min(values), max(values)


def y_span(lines: Sequence[DrawnLine]) -> tuple[float, float]:
    """Return the lowest and the highest end of all bands."""
    values = [value for line in lines for ends in (line.low, line.high) for value in ends]
    return min(values), max(values)


def padded(ends: tuple[float, float], *, share: float, least: float) -> list[float]:
    """Return a range with room on both sides: a share of its length, or the least room."""
    room = max((ends[1] - ends[0]) * share, least)
    return [ends[0] - room, ends[1] + room]


def end_labels(lines: Sequence[DrawnLine], y_range: Sequence[float], *, height: int = HEIGHT) -> list[Layout]:
    """Write the name of each line at the right edge, at the height of its last point. height: of the chart."""
    pixels = height - MARGIN["t"] - MARGIN["b"]
    gap = LABEL_GAP * (y_range[1] - y_range[0]) / pixels
    upwards = sorted(lines, key=lambda line: line.y[-1])
    heights = spread_out([line.y[-1] for line in upwards], gap=gap, ceiling=y_range[1])
    right = x_span(lines)[1]
    common = {"x": right, "xanchor": "left", "xshift": 12, "showarrow": False}
    return [
        common | {"y": y, "text": line.name, "font": {"color": line.colour}}
        for line, y in zip(upwards, heights, strict=True)
    ]


def spread_out(values: Sequence[float], *, gap: float, ceiling: float) -> list[float]:
    """Push ascending values apart until neighbours are a gap apart and none is above the ceiling."""
    floor, raised = -inf, []
    for value in values:
        raised.append(max(value, floor))
        floor = raised[-1] + gap
    lowered = []
    for value in reversed(raised):
        lowered.append(min(value, ceiling))
        ceiling = lowered[-1] - gap
    return lowered[::-1]


def legend_below(n_lines: int, *, height: int = HEIGHT) -> Layout:
    """Return the layout on a phone: a legend below the chart instead of names at the lines."""
    room = LEGEND_LINE * n_lines
    return {
        "height": height + room,
        "margin": {"r": MARGIN["r"], "b": MARGIN["b"] + room},
        "showlegend": True,
        "legend": {"font": {"size": SMALL_TEXT}, "entrywidthmode": "fraction", "entrywidth": 1},
        "annotations": [],
    }


def lines_chart(lines: Sequence[DrawnLine], *, name: str, note: str, x: Layout, y: Layout) -> Chart:
    """Draw lines with their names at the right edge. x, y: the axes; y needs a range."""
    layout = {
        "height": HEIGHT,
        "margin": {"r": label_room(lines)},
        "xaxis": x,
        "yaxis": y,
        "annotations": end_labels(lines, y["range"]),
        "legend": LEGEND,
    }
    return figure(line_traces(lines), layout, name=name, note=note, narrow=legend_below(len(lines)))
