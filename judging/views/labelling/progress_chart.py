"""The chart of a campaign's votes by day, as the points of a drawing. The table beside it has the same numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from judging.services.campaigns.progress.labelling_days import LabellingDay

WIDTH, HEIGHT = 640, 180
LEFT, RIGHT, TOP, BOTTOM = 48, 12, 16, 24


@dataclass(frozen=True, slots=True)
class DayMark:
    """A day with votes. x, y: of its total. bar, bar_left: top and left edge of the bar of its own votes."""

    day: LabellingDay
    x: float
    y: float
    bar: float
    bar_left: float

    @property
    def bar_height(self) -> float:
        return HEIGHT - BOTTOM - self.bar


@dataclass(frozen=True, slots=True)
class ProgressChart:
    """Bars of the votes of each day, a line of all votes so far, and the planned votes at the top.

    planned_y: height of the planned votes. line: points of the line, as in SVG.
    forecast: its dashed end until all votes are in; empty without one.
    bar_width: of one day. bottom, left, right: of the drawing, whose size is width × height.
    """

    marks: Sequence[DayMark]
    line: str
    forecast: str
    bar_width: float
    planned: int
    planned_y: float
    first: date
    last: date
    width: int = WIDTH
    height: int = HEIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM
    left: int = LEFT
    right: int = WIDTH - RIGHT


def draw_progress(days: Sequence[LabellingDay], *, planned: int, end: date | None) -> ProgressChart | None:
    """Draw votes by day. planned: all votes of the campaign. end: the day on which they are expected; None: unknown.

    Returns None without a day.
    """
    if not days:
        return None
    first, last = days[0].day, max(days[-1].day, end or days[-1].day)
    step = (WIDTH - LEFT - RIGHT) / ((last - first).days + 1)
    most = max(planned, days[-1].total)
    bar_width = 0.6 * step
    marks = [_mark(day, _middle(day.day, first, step), most, bar_width) for day in days]
    points = [(float(LEFT), _height(0, most)), *((mark.x, mark.y) for mark in marks)]
    ahead = [] if end is None else [points[-1], (_middle(last, first, step), _height(planned, most))]
    lines = (_points(points), _points(ahead))
    return ProgressChart(marks, *lines, bar_width, planned, _height(planned, most), first, last)


def _mark(day: LabellingDay, x: float, most: int, bar_width: float) -> DayMark:
    return DayMark(day, x, _height(day.total, most), _height(day.votes, most), x - bar_width / 2)


def _middle(day: date, first: date, step: float) -> float:
    return LEFT + ((day - first).days + 0.5) * step


def _height(votes: int, most: int) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * votes / max(most, 1)


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
