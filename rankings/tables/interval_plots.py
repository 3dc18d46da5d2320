"""Intervals drawn inside the cells of a table: a dot and a line on the scale that a column shares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rankings.numerics import Figure

WIDTH, MARGIN = 100, 3  # per cent of the width of a cell


@dataclass(frozen=True, slots=True)
class IntervalPlot:
    """Positions in per cent of the width of a cell. reference: of a value such as chance; None if off the scale."""

    dot: float
    low: float
    high: float
    reference: float | None


@dataclass(frozen=True, slots=True)
class PlotScale:
    """The values at the left and the right end of a column, and the value that the column marks."""

    start: float
    end: float
    reference: float | None = None

    def plot(self, figure: Figure) -> IntervalPlot | None:
        """Return the plot of a figure; None without a value or an interval."""
        if figure.value is None or figure.low is None or figure.high is None:
            return None
        reference = None if self.reference is None else self._position(self.reference)
        return IntervalPlot(
            self._position(figure.value), self._position(figure.low), self._position(figure.high), reference
        )

    def _position(self, value: float) -> float:
        share = (value - self.start) / (self.end - self.start)
        return round(MARGIN + share * (WIDTH - 2 * MARGIN), 1)


def scale_of(figures: Iterable[Figure | None], reference: float | None = None) -> PlotScale | None:
    """Return the scale that holds all values and intervals of a column; None if no figure has an interval.

    A reference outside the intervals is left out, because it would squeeze them.
    """
    ends = [
        (figure.low, figure.high)
        for figure in figures
        if figure is not None and figure.value is not None and figure.low is not None and figure.high is not None
    ]
    if not ends:
        return None
    start, end = min(low for low, _ in ends), max(high for _, high in ends)
    if start == end:
        start, end = start - 0.5, end + 0.5
    is_inside = reference is not None and start <= reference <= end
    return PlotScale(start, end, reference if is_inside else None)
