"""Figures as people read them. What is stored and downloaded is never rounded; only what a page shows is."""

from __future__ import annotations

from django import template

register = template.Library()

MINUS, NARROW_SPACE = "\N{MINUS SIGN}", "\N{NARROW NO-BREAK SPACE}"


@register.filter
def percent(share: float) -> str:
    """0.7123 as "71.2 %"."""
    return f"{100 * share:.1f}{NARROW_SPACE}%"


@register.filter
def interval(figure: dict[str, float]) -> str:
    """The ends of an interval as "66.7 to 75.4 %"."""
    return f"{100 * figure['low']:.1f} to {percent(figure['high'])}"


@register.filter
def coefficient(value: float, digits: int = 3) -> str:
    """-0.7123 as "−0.712"."""
    shown = f"{value:.{digits}f}"
    if float(shown) == 0:
        shown = shown.removeprefix("-")
    return shown.replace("-", MINUS)


@register.filter
def entry(mapping: dict[str, object], key: str) -> object:
    """An entry of a mapping whose key is no identifier."""
    return mapping[key]
