"""Figures for static/js/chart.js: data without colours; those come from the page, light or dark.

`note` is what a reader needs who sees the picture without its page: it stands below pictures that are downloaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankings.numerics import PAIRS
from rankings.report.forms import DRAWN_RANKINGS

Chart = dict[str, Any]
Point = dict[str, Any]

NOTE_OF_DOTS = "n: comparisons of pairs on which people prefer one candidate; bars: 95 % intervals over contexts."
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


def curve_chart(points: Sequence[Point], *, measure: str) -> Chart | None:
    """Lines with bands: agreement with people against comparisons a context. None where no point has a value.

    A ranking keeps its colour, a selection its dash, whatever else is drawn; debiased lines have open marks, those of
    averaged orders open ones with a dot. Of the people's curves one is drawn, by the first ranking that has one.
    """
    judged = [point for point in points if point["source"] == "judge"]
    selections = list(dict.fromkeys(point["selection"] for point in judged if point["selection"] != PAIRS)) or [PAIRS]
    several = len(selections) > 1
    lines = [
        _line(line, _name(line[0], with_selection=several))
        | {
            "series": list(DRAWN_RANKINGS).index(line[0]["ranking"]) + 1,
            "dash": _dash(line[0]["selection"], selections),
            "open": line[0]["debiased"] or line[0]["average_orders"],
            "dotted": line[0]["average_orders"],
        }
        for line in _lines(judged)
    ]
    people = _lines([point for point in points if point["source"] == "people"])[:1]
    lines += [_line(line, f"people, {DRAWN_RANKINGS[line[0]['ranking']]}") | {"people": True} for line in people]
    if not lines:
        return None
    draws = max(point["draws"] for point in points)
    return {
        "kind": "curve",
        "x_title": "Comparisons or votes per context" if people else "Comparisons per context",
        "y_title": measure,
        "lines": lines,
        "note": f"Lines: means of {draws:,} draws of the comparisons; bands: the middle 95 % of the draws.",
    }


def _dash(selection: str, selections: Sequence[str]) -> str:
    """PairS has a selection of its own and one line, which needs no dash."""
    return DASHES[selections.index(selection) % len(DASHES)] if selection in selections else DASHES[0]


def _lines(points: Sequence[Point]) -> list[list[Point]]:
    """The points that have a value, by what they are of."""
    lines: dict[tuple[str, str, bool, bool], list[Point]] = {}
    for point in points:
        if point["mean"] is not None:
            name = (point["ranking"], point["selection"], point["debiased"], point["average_orders"])
            lines.setdefault(name, []).append(point)
    return list(lines.values())


def _name(point: Point, *, with_selection: bool) -> str:
    selection = point["selection"] if with_selection and point["ranking"] != PAIRS else ""
    bias = "debiased" if point["debiased"] else "orders averaged" if point["average_orders"] else ""
    return ", ".join(part for part in (DRAWN_RANKINGS[point["ranking"]], selection, bias) if part)


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
                "n": row["accuracy"]["n"],
                "short": f"run {row['run']}",
                "value": row["accuracy"]["value"],
                "low": row["accuracy"]["low"],
                "high": row["accuracy"]["high"],
            }
            for row in shown
        ],
        "ceiling": human.pop() if len(human) == 1 else None,
        "ceiling_name": "people",
        "note": NOTE_OF_DOTS,
    }
