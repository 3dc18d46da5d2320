"""`every_figure_csv`: report rows with a column for every figure. The columns follow the fields of `ReportRow`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evenhand.csv_text import csv_lines
from evenhand.report_json import as_json
from rankings.report.report_row import ReportRow


def every_figure_csv(rows: Sequence[ReportRow]) -> str:
    """Write a line per row and a column per figure (`accuracy.low`), in full precision; undefined is empty."""
    flat = [dict(_flat(as_json(row))) for row in rows]
    columns = list(dict.fromkeys(column for row in flat for column in row))
    return "".join(csv_lines((dict.fromkeys(columns) | row for row in flat), columns=columns))


def _flat(value: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, object]]:
    """Yield each value with its path. Records of lists are named by check, name or number; texts share one cell."""
    for key, inner in value.items():
        if isinstance(inner, list) and all(isinstance(entry, Mapping) for entry in inner):
            named = {entry.get("check") or entry.get("name") or f"{at}": entry for at, entry in enumerate(inner, 1)}
            yield from _flat(named, f"{path}{key}.")
        elif isinstance(inner, list):
            yield f"{path}{key}", "; ".join(inner)
        elif isinstance(inner, Mapping):
            yield from _flat(inner, f"{path}{key}.")
        else:
            yield f"{path}{key}", inner
