"""Differences and p-values as pages print them."""

from __future__ import annotations

from rankings.compare.comparison_of_runs import FigureDifference, PairDifference
from rankings.numerics.figure import defined
from rankings.report.number_text import coefficient

SMALLEST_P = 0.001


def points(difference: float) -> str:
    """Write -0.0213 as "−2.1 points"."""
    return f"{coefficient(100 * difference, 1)} points"


def points_interval(difference: FigureDifference | PairDifference) -> str:
    """Write the ends of an interval as "−0.4 to 4.6 points"."""
    return f"{coefficient(100 * defined(difference.low), 1)} to {points(defined(difference.high))}"


def p_value(p: float) -> str:
    """Write 0.0213 as "p = 0.021", and values below a thousandth as "p < 0.001"."""
    return f"p < {SMALLEST_P}" if p < SMALLEST_P else f"p = {p:.3f}"
