"""Numbers as people read them: rounded for a page, with a true minus sign."""

from django import template

from judging.prices import price

register = template.Library()
register.filter(price)

MINUS, INFINITY = "\N{MINUS SIGN}", "\N{INFINITY}"


@register.filter
def decimals(value: float, digits: int = 3) -> str:
    """-0.7123 as "−0.712"; what rounds to zero has no sign."""
    shown = f"{value:.{digits}f}"
    return _with_signs(shown.removeprefix("-") if float(shown) == 0 else shown)


@register.filter
def significant(value: float, digits: int = 4) -> str:
    """-0.712345 as "−0.7123", 5.0 as "5"."""
    return _with_signs(f"{value:.{digits}g}")


def _with_signs(shown: str) -> str:
    return shown.replace("-", MINUS).replace("inf", INFINITY)
