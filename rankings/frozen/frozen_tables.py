"""A table of charts in the data of a frozen report."""

from __future__ import annotations

from typing import Any

from evenhand.numerics import Figure
from rankings.tables.table import Table


def table_as_json(table: Table) -> dict[str, Any]:
    """Write a table as plain values, in full precision."""
    return {
        "names": list(table.name_titles),
        "columns": [column.heading for column in table.columns],
        "rows": [
            {"names": [str(name) for name in row.names], "figures": [_figure(figure) for figure in row.figures]}
            for row in table.rows
        ],
    }


def _figure(figure: Figure | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    return {name: getattr(figure, name) for name in ("value", "low", "high", "n", "undefined")}
