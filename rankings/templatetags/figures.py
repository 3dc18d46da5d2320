"""Figures as people read them. What is stored and downloaded is never rounded; only what a page shows is."""

from __future__ import annotations

from typing import Literal

from django import template

from judging.models import Run
from judging.templatetags.numbers import decimals
from rankings.audits.audit_report import is_explained
from rankings.numerics import Figure, Ranking, rankings_with_chosen_pairs
from rankings.report.figure_json import known
from rankings.report.forms import CURVE_TITLES, RANKING_TITLES

register = template.Library()

NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"


@register.filter
def percent(share: float) -> str:
    """0.7123 as "71.2 %"."""
    return f"{100 * share:.1f}{NARROW_SPACE}%"


@register.filter
def interval(figure: Figure) -> str:
    """The ends of an interval as "66.7 to 75.4 %"."""
    return f"{100 * known(figure.low):.1f} to {percent(known(figure.high))}"


coefficient = register.filter("coefficient", decimals)


@register.filter
def ranking_name(ranking: str) -> str:
    """A ranking as all pages call it; commands, the API and files have `ranking` itself."""
    return (RANKING_TITLES | CURVE_TITLES).get(ranking, ranking)


@register.simple_tag
def rankings_if_pairs_chosen(behaviour: Literal["distorted", "sound"]) -> tuple[Ranking, ...]:
    """The rankings that an adaptive run distorts, or those to prefer there."""
    return rankings_with_chosen_pairs(behaviour)


@register.filter
def entry(mapping: dict[str, object], key: str) -> object:
    """An entry of a mapping whose key is no identifier."""
    return mapping[key]


@register.filter
def explained(run: Run) -> bool:
    """Whether there can be explanations of its answers."""
    return not run.is_scoring and is_explained(run)
