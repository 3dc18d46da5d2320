"""Ranking curves: agreement with people against the number of comparisons."""

from collections.abc import Iterable, Sequence
from typing import Any

from evenhand.numerics import CURVE_TITLES, PAIRS_SORT
from rankings.charts.line_chart import DrawnLine, lines_chart, padded, x_span, y_span
from rankings.charts.palette import PEOPLE, line_colour, line_symbol
from rankings.charts.plotly_chart import Chart, Layout
from rankings.curves.curve_records import Point
from rankings.report.printed_numbers import ranking_title

DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


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
    comparisons = x_span(lines)
    title = "Comparisons or votes per context" if of_people else "Comparisons per context"
    return lines_chart(
        lines,
        name="curve",
        note=f"Lines: means of {draws:,} draws of the comparisons; bands: the middle 95 % of the draws.",
        x={"title": title, "range": padded(comparisons, share=0.02, least=0.5)} | whole_steps(comparisons),
        y={"title": measure, "range": padded(y_span(lines), share=0.06, least=0.01)},
    )


def judge_lines(points: Sequence[Point]) -> list[DrawnLine]:
    judged = [point for point in points if point.source == "judge"]
    selections = list(dict.fromkeys(point.selection for point in judged if point.ranking != PAIRS_SORT))
    places = {name: place for place, name in enumerate(CURVE_TITLES)}
    return [judge_line(line, selections, places[line[0].ranking]) for line in grouped(judged)]


def judge_line(points: Sequence[Point], selections: Sequence[str], place: int) -> DrawnLine:
    """place: of the ranking among the colours."""
    point = points[0]
    marks = "-open-dot" if point.average_orders else "-open" if point.debiased else ""
    return line_of_points(
        points,
        line_name(point, with_selection=len(selections) > 1),
        colour=line_colour(place),
        symbol=line_symbol(place) + marks,
        dash=DASHES[selections.index(point.selection) % len(DASHES)] if point.ranking != PAIRS_SORT else DASHES[0],
    )


def line_of_points(points: Sequence[Point], name: str, **looks: Any) -> DrawnLine:  # noqa: ANN401 - the fields of a line
    """Return the line of some points with a value. looks: colour, symbol, dash and width."""
    x, y, low, high = ([getattr(point, field) for point in points] for field in ("comparisons", "mean", "low", "high"))
    return DrawnLine(name, x, y, low, high, **looks)


def people_lines(points: Sequence[Point]) -> list[DrawnLine]:
    """Return the curve of people by the first ranking with a value; none without such a ranking."""
    return [
        line_of_points(line, f"people, {ranking_title(line[0].ranking)}", colour=PEOPLE, symbol="circle", width=4)
        for line in people_curves_of(points)
    ]


def people_curves_of(points: Iterable[Point]) -> list[list[Point]]:
    """Return the one curve of people that is drawn; none without a value."""
    return grouped(point for point in points if point.source == "people")[:1]


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


def whole_steps(comparisons: tuple[float, float]) -> Layout:
    """Return an axis without ticks between whole numbers of comparisons."""
    return {"dtick": 1} if comparisons[1] - comparisons[0] < 10 else {}
