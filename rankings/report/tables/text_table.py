"""Plain-text tables for a terminal: report rows, and any other cells."""

from __future__ import annotations

from collections.abc import Sequence

from rankings.report.report_row import ReportRow
from rankings.report.tables.table_columns import COUNTS, NAMES, counts, figures, headings, names, notes, rankings_of


def text_table(rows: Sequence[ReportRow]) -> str:
    """Write the figures of the LaTeX table in columns, and its comments below."""
    rankings = rankings_of(rows)
    titles = ["Run", *NAMES, *COUNTS, *headings(), *(f"rho {title}" for title in rankings.values())]
    named = [[f"{row.name.run}", *names(row), *counts(row)] for row in rows]
    cells_of_figures = [[cell.replace("--", "-") for cell in figures(row, rankings)] for row in rows]
    table = aligned([titles, *(name + cells for name, cells in zip(named, cells_of_figures, strict=True))])
    lines = "".join(f"{line}\n" for line in notes(rows))
    return f"{table}\n{lines}" if lines else table


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Pad cells into columns, each as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    return "".join(f"{line.rstrip()}\n" for line in padded)


def number_cell(value: str | float | bool | None) -> str:
    """Write a number with four digits, a missing one as "-", and True and False as "yes" and "no"."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:.4g}"
