"""Helpers for the figures of reports."""

from __future__ import annotations

from rankings.numerics import Figure

OF_CORRELATIONS = Figure.missing("a test of correlations only", n=0)
"""What stands for PERM-BOTH beside a figure that is none."""


def known(number: float | None) -> float:
    """A number that exists. Raises ValueError where it is undefined."""
    if number is None:
        raise ValueError("the number is undefined")
    return number
