"""The cells of a table of figures on pages: number, interval, plot, footnote and warning."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evenhand.numerics import Figure
from rankings.tables.numbers_of_observations import few_observations, text_of_n
from rankings.tables.table import DASH, Cell, Column, Kind, Row, Table, TableStyle, printed_cells, printed_number

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


MINUS = "\N{MINUS SIGN}"
ONE_UNIT: frozenset[Kind] = frozenset({"share", "coefficient"})
"""Kinds whose columns share a scale. Columns of numbers may have different units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureCell:
    """One figure. number: "" for an empty cell, a dash for a missing figure.

    interval: "±1.4" or "[80.1, 82.8]", with kappa. details: the interval and n, on hover.
    plot: None without an interval. reason: why the figure is missing. note: the number of its footnote.
    sort_value: for sorting in the browser.
    own_n: "n = 468" where the column does not share one. warning: why a reader should doubt the figure, or "".
    """

    column: Column
    number: str
    interval: str = ""
    mark: str = ""
    is_tied: bool = False
    details: str = ""
    own_n: str = ""
    warning: str = ""
    plot: IntervalPlot | None = None
    reason: str = ""
    note: int = 0
    href: str = ""
    sort_value: str = ""


class Footnotes:
    """The reasons of missing figures, each with a number."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def number_of(self, reason: str) -> int:
        """Return the number of a reason, from 1. A new one is added."""
        if reason not in self.texts:
            self.texts.append(reason)
        return self.texts.index(reason) + 1


@dataclass(frozen=True, slots=True)
class CellMaker:
    """Makes the cells of a table. texts_of_n: column -> its n, where the table does not share one."""

    table: Table
    style: TableStyle
    texts_of_n: Mapping[str, str]
    footnotes: Footnotes

    def rows(self) -> list[tuple[FigureCell, ...]]:
        scales = self._scales()
        printed = printed_cells(self.table, self.style)
        return [self._row(row, line, scales) for row, line in zip(self.table.rows, printed, strict=True)]

    def _scales(self) -> list[PlotScale | None]:
        """Return the scale of each column: one for all shares, one for all coefficients, else a column's own.

        None where a single figure without a reference has nothing to compare with.
        """
        places: dict[str, list[int]] = {}
        units = [column.kind if column.kind in ONE_UNIT else column.name for column in self.table.columns]
        for place, unit in enumerate(units):
            places.setdefault(unit, []).append(place)
        scales = {unit: self._scale(at) for unit, at in places.items()}
        return [scales[unit] for unit in units]

    def _scale(self, places: Sequence[int]) -> PlotScale | None:
        figures = [row.figures[place] for row in self.table.rows for place in places]
        has_reference = any(self.table.columns[place].reference is not None for place in places)
        return scale_of(figures) if len(figures) > 1 or has_reference else None

    def _row(self, row: Row, printed: Sequence[Cell], scales: Sequence[PlotScale | None]) -> tuple[FigureCell, ...]:
        hrefs = row.cell_hrefs or ("",) * len(printed)
        columns = zip(row.figures, self.table.columns, printed, scales, hrefs, strict=True)
        return tuple(
            self._cell(figure, column, cell, scale, href)
            if figure is not None
            else FigureCell(column=column, number="")
            for figure, column, cell, scale, href in columns
        )

    def _cell(self, figure: Figure, column: Column, printed: Cell, scale: PlotScale | None, href: str) -> FigureCell:
        if figure.value is None:
            reason = figure.undefined or "no value"
            return FigureCell(column=column, number=DASH, reason=reason, note=self.footnotes.number_of(reason))
        n = "" if column.kind == "count" else text_of_n(figure)
        return FigureCell(
            column=column,
            number=_signed(printed.number),
            interval=_signed(printed.beside.replace("± ", "±")),
            mark=printed.mark,
            is_tied=printed.is_tied,
            details=", ".join(filter(None, [_interval_text(figure, column, self.style), n])),
            own_n=n if self.texts_of_n.get(column.name, n) != n else "",
            warning=few_observations(figure.n, column.observations) if column.observations else "",
            plot=scale.plot(figure, column.reference) if scale else None,
            href=href,
            sort_value=f"{figure.value:.10g}",
        )


def _interval_text(figure: Figure, column: Column, style: TableStyle) -> str:
    if figure.low is None or figure.high is None:
        return ""
    unit = " points" if column.is_difference else " %"
    low, high = (_signed(printed_number(end, column, style)) for end in (figure.low, figure.high))
    return f"95 % CI {low} to {high}{unit if column.kind == 'share' else ''}"


def _signed(text: str) -> str:
    """Write a true minus sign."""
    return text.replace("-", MINUS)
