"""Differences and p-values as people read them."""

from __future__ import annotations

from django import template

from rankings.compare.comparison_of_runs import FigureDifference, PairDifference
from rankings.report.figure_json import known
from rankings.templatetags.figures import coefficient

register = template.Library()

SMALLEST_P = 0.001


@register.filter
def points(difference: float) -> str:
    """-0.0213 as "−2.1 points"."""
    return f"{coefficient(100 * difference, 1)} points"


@register.filter
def points_interval(difference: FigureDifference | PairDifference) -> str:
    """The ends of an interval as "−0.4 to 4.6 points"."""
    return f"{coefficient(100 * (known(difference.low)), 1)} to {points(known(difference.high))}"


@register.filter
def p_value(p: float) -> str:
    """0.0213 as "p = 0.021"; what is smaller than a thousandth as "p < 0.001"."""
    return f"p < {SMALLEST_P}" if p < SMALLEST_P else f"p = {p:.3f}"
