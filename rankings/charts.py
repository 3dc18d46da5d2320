"""Figures for static/js/chart.js: data without colours; those come from the page, light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankings.forms import RANKINGS

Chart = dict[str, Any]
Point = dict[str, Any]

DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def curve_chart(points: Sequence[Point], *, measure: str) -> Chart | None:
    """Lines with bands: agreement with people against comparisons a context. None where no point has a value.

    A ranking keeps its colour, a selection its dash, whatever else is drawn; debiased lines have open marks. Of the
    people's curves one is drawn, by the first ranking of which there is one.
    """
    judged = [point for point in points if point["source"] == "judge"]
    selections = list(dict.fromkeys(point["selection"] for point in judged))
    several = len(selections) > 1
    lines = [
        _line(line, _name(line[0], with_selection=several))
        | {
            "series": list(RANKINGS).index(line[0]["ranking"]) + 1,
            "dash": DASHES[selections.index(line[0]["selection"]) % len(DASHES)],
            "open": line[0]["debiased"],
        }
        for line in _lines(judged)
    ]
    people = _lines([point for point in points if point["source"] == "people"])[:1]
    lines += [_line(line, f"people, {RANKINGS[line[0]['ranking']]}") | {"people": True} for line in people]
    if not lines:
        return None
    return {
        "kind": "curve",
        "x_title": "Comparisons or votes per context" if people else "Comparisons per context",
        "y_title": measure,
        "lines": lines,
    }


def _lines(points: Sequence[Point]) -> list[list[Point]]:
    """The points that have a value, by what they are of."""
    lines: dict[tuple[str, str, bool], list[Point]] = {}
    for point in points:
        if point["mean"] is not None:
            lines.setdefault((point["ranking"], point["selection"], point["debiased"]), []).append(point)
    return list(lines.values())


def _name(point: Point, *, with_selection: bool) -> str:
    selection, debiased = point["selection"] if with_selection else "", "debiased" if point["debiased"] else ""
    return ", ".join(part for part in (RANKINGS[point["ranking"]], selection, debiased) if part)


def _line(points: Sequence[Point], name: str) -> Chart:
    return {
        "name": name,
        "x": [point["comparisons"] for point in points],
        "y": [point["mean"] for point in points],
        "low": [point["low"] for point in points],
        "high": [point["high"] for point in points],
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
