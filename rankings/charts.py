"""Figures for static/js/chart.js: data without colours; those come from the page, light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankings.forms import RANKINGS

Chart = dict[str, Any]
Point = dict[str, Any]

DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def curve_chart(points: Sequence[Point], *, coefficient: str) -> Chart | None:
    """Lines with bands: correlation with people against comparisons a context. None where no point has a value.

    A ranking keeps its colour, a selection its dash, whatever else is drawn.
    """
    selections = list(dict.fromkeys(point["selection"] for point in points))
    lines: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        if point["mean"] is not None:
            lines.setdefault((point["ranking"], point["selection"]), []).append(point)
    if not lines:
        return None
    return {
        "kind": "curve",
        "x_title": "Comparisons per context",
        "y_title": coefficient,
        "lines": [
            {
                "name": RANKINGS.get(ranking, ranking) + (f", {selection}" if len(selections) > 1 else ""),
                "series": list(RANKINGS).index(ranking) + 1 if ranking in RANKINGS else 1,
                "dash": DASHES[selections.index(selection) % len(DASHES)],
                "x": [point["comparisons"] for point in line],
                "y": [point["mean"] for point in line],
                "low": [point["low"] for point in line],
                "high": [point["high"] for point in line],
            }
            for (ranking, selection), line in lines.items()
        ],
    }


def agreement_chart(rows: Sequence[dict[str, Any]]) -> Chart | None:
    """A dot with its interval for each run, and a line where people stand. None where no run has an accuracy."""
    shown = [row for row in rows if row["accuracy"]["value"] is not None]
    if not shown:
        return None
    human = {row["human"]["value"] for row in shown}
    return {
        "kind": "dots",
        "x_title": "Accuracy against people",
        "dots": [
            {
                "name": f"{row['judge']}, {row['prompt']}, {row['attribute']} (run {row['run']})",
                "short": f"run {row['run']}",
                "value": row["accuracy"]["value"],
                "low": row["accuracy"]["low"],
                "high": row["accuracy"]["high"],
            }
            for row in shown
        ],
        "ceiling": human.pop() if len(human) == 1 else None,
        "ceiling_name": "people",
    }
