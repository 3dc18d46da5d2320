"""Numbers, prices and durations in templates: rounded, and with a true minus sign."""

from django import template

from evenhand.units import format_duration, format_price

register = template.Library()
register.filter("duration", format_duration)
register.filter("price", format_price)

MINUS, INFINITY = "\N{MINUS SIGN}", "\N{INFINITY}"


@register.filter
def decimals(value: float, digits: int = 3) -> str:
    """Format -0.7123 as "−0.712". A value that rounds to zero gets no sign."""
    rounded = f"{value:.{digits}f}"
    return _with_signs(rounded.removeprefix("-") if float(rounded) == 0 else rounded)


@register.filter
def significant(value: float, digits: int = 4) -> str:
    """Format -0.712345 as "−0.7123" and 5.0 as "5"."""
    return _with_signs(f"{value:.{digits}g}")


def _with_signs(rounded: str) -> str:
    return rounded.replace("-", MINUS).replace("inf", INFINITY)
