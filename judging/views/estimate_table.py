"""The estimate of new runs as a table: one row for each judge or prompt, and a bar in each cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evenhand.units import format_duration, format_price
from judging.services.forecasts.judge_estimates import PENDING, EstimatedFigure, EstimateLine, RunsEstimate


@dataclass(frozen=True, slots=True)
class EstimateCell:
    """A figure as text, or the reason why there is none. percent: length of its bar; None for no bar."""

    text: str
    undefined: str = ""
    percent: float | None = None


@dataclass(frozen=True, slots=True)
class EstimateRow:
    """The cells of one judge or prompt, or of all together. runs: their number."""

    name: str
    runs: int
    cells: Sequence[EstimateCell]
    is_total: bool = False


@dataclass(frozen=True, slots=True)
class EstimateTable:
    """An estimate as a table. first_heading: Judge or Prompt. notes: why columns are left out.

    warnings: of each judge or prompt, with its name.
    """

    first_heading: str
    headings: Sequence[str]
    rows: Sequence[EstimateRow]
    notes: Sequence[str]
    warnings: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Column:
    heading: str
    read: Callable[[EstimateLine], EstimatedFigure]
    format: Callable[[float], str]

    def cell(self, estimate: EstimateLine, *, largest: float) -> EstimateCell:
        """Return a cell. largest: the value whose bar has the full length; 0 for no bars."""
        figure = self.read(estimate)
        if figure.value is None:
            return EstimateCell("–", undefined=figure.undefined)
        percent = 100 * figure.value / largest if largest else None
        return EstimateCell(self.format(figure.value), percent=percent)


def _format_whole(number: float) -> str:
    return f"{number:,.0f}"


def _format_time(seconds: float) -> str:
    return "< 1 s" if seconds < 1 else format_duration(seconds)


_COLUMNS = (
    _Column("Questions", lambda one: EstimatedFigure(one.questions), _format_whole),
    _Column("Tokens", lambda one: one.tokens, _format_whole),
    _Column("Time", lambda one: one.seconds, _format_time),
    _Column("Cost", lambda one: one.cost, format_price),
)


def estimate_table(estimate: RunsEstimate) -> EstimateTable:
    """Return the table of an estimate. A column without any figure is left out once nothing is counted any more."""
    columns = [column for column in _COLUMNS if not estimate.is_over or _has_values(column, estimate)]
    rows = [_row(one, columns, estimate) for one in estimate.lines]
    if len(estimate.lines) > 1:
        rows.append(_row(estimate.total, columns, estimate, is_total=True))
    return EstimateTable(
        first_heading=estimate.by.capitalize(),
        headings=[column.heading for column in columns],
        rows=rows,
        notes=[note for column in _COLUMNS if column not in columns for note in _reasons(column, estimate)],
        warnings=[(one.name, warning) for one in estimate.lines for warning in one.warnings],
    )


def _row(
    one: EstimateLine, columns: Sequence[_Column], estimate: RunsEstimate, *, is_total: bool = False
) -> EstimateRow:
    cells = [column.cell(one, largest=0 if is_total else _largest(column, estimate)) for column in columns]
    return EstimateRow(one.name, one.runs, cells, is_total)


def _largest(column: _Column, estimate: RunsEstimate) -> float:
    """Return the largest value; 0 for a single row, which has nothing to be compared with."""
    values = [column.read(one).value or 0.0 for one in estimate.lines]
    return max(values) if len(values) > 1 else 0.0


def _has_values(column: _Column, estimate: RunsEstimate) -> bool:
    return any(column.read(one).value is not None for one in estimate.lines)


def _reasons(column: _Column, estimate: RunsEstimate) -> list[str]:
    """Return why a column has no figures, each reason once."""
    reasons = dict.fromkeys(column.read(one).undefined for one in estimate.lines)
    return [f"{column.heading}: {reason}." for reason in reasons if reason not in ("", PENDING)]
