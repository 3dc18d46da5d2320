"""The looks of a pivot table on pages."""

from __future__ import annotations

from rankings.studies.pivots.pivot import Pivot
from rankings.tables.figure_table import PAGE_STYLE
from rankings.tables.table import TableStyle

BRACKETS = TableStyle(interval="brackets")
"""Intervals in brackets, where other cells of the table have a standard deviation."""


def style_of_page(pivot: Pivot) -> TableStyle:
    """Return the style in which pages and frozen reports draw a pivot table."""
    has_means = any(cell.sd is not None for line in pivot.cells for cell in line)
    return BRACKETS if has_means else PAGE_STYLE
