"""Ranking curves: agreement with people against the number of comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from rankings.charts.palette import PEOPLE, SERIES, line_colour, line_symbol
from rankings.charts.plotly_chart import MARGIN, SMALL_TEXT, Chart, Layout, Trace, figure
from rankings.curves.curve_records import Point
from rankings.numerics import CURVE_TITLES, PAIRS_SORT
from rankings.report.number_text import ranking_title

DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
BAND_OPACITY = 0.12
HEIGHT, LEGEND_LINE, LABEL_GAP = 420, 20, 17  # pixels
CHARACTER_WIDTH = 7.2  # pixels of a character, on average


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A drawn curve with its band."""

    name: str
    points: Sequence[Point]
    colour: str
    symbol: str
    dash: str = "solid"
    width: int = 2

    def values(self, field: str) -> list[float]:
        return [getattr(point, field) for point in self.points]

    @property
    def end(self) -> float:
        """Return the value of the last point."""
        return self.values("mean")[-1]


def curve_chart(points: Sequence[Point], *, measure: str) -> Chart | None:
    """Draw agreement with people against comparisons per context. None when no point has a value.

    Each ranking has its own colour and each selection its own dash. Debiased lines have open marks; lines of averaged
    orders have open marks with a dot. People have one curve: that of the first ranking with a value.
    """
    of_people = people_lines(points)
    lines = judge_lines(points) + of_people
    if not lines:
        return None
    draws = max(point.draws for point in points)
    comparisons = span(lines, "comparisons")
    y_range = padded(span(lines, "low", "high"), share=0.06, least=0.01)
    title = "Comparisons or votes per context" if of_people else "Comparisons per context"
    layout = {
        "height": HEIGHT,
        "margin": {"r": round(24 + max(len(line.name) for line in lines) * CHARACTER_WIDTH)},
        "xaxis": {"title": title, "range": padded(comparisons, share=0.02, least=0.5)} | whole_steps(comparisons),
        "yaxis": {"title": measure, "range": y_range},
        "annotations": end_labels(lines, y_range),
        "legend": {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom"},
    }
    note = f"Lines: means of {draws:,} draws of the comparisons; bands: the middle 95 % of the draws."
    traces = [trace for line in lines for trace in (band_trace(line), line_trace(line))]
    return figure(traces, layout, name="curve", note=note, narrow=legend_below(len(lines)))


def judge_lines(points: Sequence[Point]) -> list[DrawnLine]:
    judged = [point for point in points if point.source == "judge"]
    selections = list(dict.fromkeys(point.selection for point in judged if point.ranking != PAIRS_SORT))
    places = places_of(dict.fromkeys(point.ranking for point in judged))
    return [judge_line(line, selections, places[line[0].ranking]) for line in grouped(judged)]


def places_of(rankings: Iterable[str]) -> dict[str, int]:
    """Return the place of each ranking among the colours. Experts take places that no other drawn ranking has."""
    known = {name: place for place, name in enumerate(CURVE_TITLES)}
    places = {ranking: known[ranking] for ranking in rankings if ranking in known}
    used = {place % len(SERIES) for place in places.values()}
    free = [place for place in range(len(SERIES)) if place not in used] or [0]
    experts = [ranking for ranking in rankings if ranking not in known]
    return places | {expert: free[number % len(free)] for number, expert in enumerate(experts)}


def judge_line(points: Sequence[Point], selections: Sequence[str], place: int) -> DrawnLine:
    """place: of the ranking among the colours."""
    point = points[0]
    marks = "-open-dot" if point.average_orders else "-open" if point.debiased else ""
    return DrawnLine(
        line_name(point, with_selection=len(selections) > 1),
        points,
        colour=line_colour(place),
        symbol=line_symbol(place) + marks,
        dash=DASHES[selections.index(point.selection) % len(DASHES)] if point.ranking != PAIRS_SORT else DASHES[0],
    )


def people_lines(points: Sequence[Point]) -> list[DrawnLine]:
    """Return the curve of people by the first ranking with a value; none without such a ranking."""
    first = grouped([point for point in points if point.source == "people"])[:1]
    return [
        DrawnLine(f"people, {ranking_title(line[0].ranking)}", line, colour=PEOPLE, symbol="circle", width=4)
        for line in first
    ]


def grouped(points: Iterable[Point]) -> list[list[Point]]:
    """Return the points with a value, grouped by curve."""
    curves: dict[tuple[str, str, bool, bool], list[Point]] = {}
    for point in points:
        if point.mean is not None:
            curves.setdefault(point.curve, []).append(point)
    return list(curves.values())


def line_name(point: Point, *, with_selection: bool) -> str:
    selection = point.selection if with_selection and point.ranking != PAIRS_SORT else ""
    bias = "orders averaged" if point.average_orders else "debiased" if point.debiased else ""
    return ", ".join(part for part in (ranking_title(point.ranking), selection, bias) if part)


def band_trace(line: DrawnLine) -> Trace:
    """Draw the band: along its upper edge and back along its lower edge."""
    x = line.values("comparisons")
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x + x[::-1],
        "y": line.values("high") + line.values("low")[::-1],
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
        "x": line.values("comparisons"),
        "y": line.values("mean"),
        "name": line.name,
        "line": {"color": line.colour, "width": line.width, "dash": line.dash},
        "marker": {"color": line.colour, "size": 6, "symbol": line.symbol},
        "hovertemplate": f"{line.name}: %{{y:.3f}} at %{{x}}<extra></extra>",
    }


def span(lines: Sequence[DrawnLine], *fields: str) -> tuple[float, float]:
    """Return the lowest and the highest value of these fields."""
    values = [value for line in lines for field in fields for value in line.values(field)]
    return min(values), max(values)


def padded(ends: tuple[float, float], *, share: float, least: float) -> list[float]:
    """Return a range with room on both sides: a share of its length, or the least room."""
    room = max((ends[1] - ends[0]) * share, least)
    return [ends[0] - room, ends[1] + room]


def whole_steps(comparisons: tuple[float, float]) -> Layout:
    """Return an axis without ticks between whole numbers of comparisons."""
    return {"dtick": 1} if comparisons[1] - comparisons[0] < 10 else {}


def end_labels(lines: Sequence[DrawnLine], y_range: Sequence[float], *, height: int = HEIGHT) -> list[Layout]:
    """Write the name of each line at the right edge, at the height of its last point. height: of the chart."""
    pixels = height - MARGIN["t"] - MARGIN["b"]
    gap = LABEL_GAP * (y_range[1] - y_range[0]) / pixels
    upwards = sorted(lines, key=lambda line: line.end)
    heights = spread_out([line.end for line in upwards], gap=gap, ceiling=y_range[1])
    right = span(lines, "comparisons")[1]
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
        "legend": {"font": {"size": SMALL_TEXT}},
        "annotations": [],
    }
