"""Intervals drawn inside the cells of a table: a dot and a line on a scale that columns of one unit share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evenhand.numerics import Figure

WIDTH, MARGIN = 100, 3  # per cent of the width of a strip


@dataclass(frozen=True, slots=True)
class IntervalPlot:
    """Positions in per cent of the width of a strip. reference: of a value such as chance; None if off the scale."""

    dot: float
    low: float
    high: float
    reference: float | None


@dataclass(frozen=True, slots=True)
class PlotScale:
    """The values at the left and the right end of a strip."""

    start: float
    end: float

    def plot(self, figure: Figure, reference: float | None = None) -> IntervalPlot | None:
        """Return the plot of a figure; None without a value or an interval.

        reference: a value to mark. One outside the scale is left out, because it would squeeze the intervals.
        """
        if figure.value is None or figure.low is None or figure.high is None:
            return None
        is_inside = reference is not None and self.start <= reference <= self.end
        return IntervalPlot(
            dot=self._position(figure.value),
            low=self._position(figure.low),
            high=self._position(figure.high),
            reference=self._position(reference) if reference is not None and is_inside else None,
        )

    def _position(self, value: float) -> float:
        share = (value - self.start) / (self.end - self.start)
        return round(MARGIN + share * (WIDTH - 2 * MARGIN), 1)


def scale_of(figures: Iterable[Figure | None]) -> PlotScale | None:
    """Return the scale that holds the values and intervals of all figures; None if no figure has an interval."""
    ends = [
        end
        for figure in figures
        if figure is not None and figure.value is not None and figure.low is not None and figure.high is not None
        for end in (figure.low, figure.value, figure.high)
    ]
    if not ends:
        return None
    start, end = min(ends), max(ends)
    return PlotScale(start - 0.5, end + 0.5) if start == end else PlotScale(start, end)
