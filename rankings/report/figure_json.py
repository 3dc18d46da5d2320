"""Figures as reports have them."""

from __future__ import annotations

from typing import Any

from rankings.numerics import Figure

INTERVAL = ("low", "high", "n")
OF_CORRELATIONS = Figure.missing("a test of correlations only", n=0)
"""What stands for PERM-BOTH beside a figure that is none."""


def figure(figure: Figure, *fields: str) -> dict[str, Any]:
    """A figure as a report has it. fields: what stands beside its value, of low, high and n."""
    told = {"value": figure.value} | {field: getattr(figure, field) for field in fields}
    return told if figure.undefined is None else told | {"undefined": figure.undefined}


def known(number: float | None) -> float:
    """A number that exists. Raises ValueError where it is undefined."""
    if number is None:
        raise ValueError("the number is undefined")
    return number
