"""Template filters and tags for figures, differences and p-values."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.forms import Form
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from judging.models import Run
from judging.web.visible_rows import visible_study_runs
from rankings.audits.audit_report import is_explained
from rankings.charts.chart_files import PARAMETER
from rankings.report.number_text import (
    coefficient,
    distortion_sentence,
    interval,
    p_value,
    percent,
    points,
    points_interval,
    ranking_title,
)
from rankings.report.pages.run_page import Card, by_reason
from rankings.report.report_columns import definition_of
from rankings.studies.charts.muted_tabs import muted_tabs

register = template.Library()

register.filter("coefficient", coefficient)
register.filter("definition_of", definition_of)
register.simple_tag(distortion_sentence)
for write in (interval, percent, ranking_title, points, points_interval, p_value):
    register.filter(write)


@register.simple_tag
def definition_link(title: str, definition: str) -> SafeString:
    """Link a title to its definition. definition: an address below docs/reference/."""
    return format_html('<a href="{}reference/{}">{}</a>', reverse("docs"), definition, title)


@register.simple_tag(takes_context=True)
def other_parameters(context: template.Context, form: Form, *names: str) -> SafeString:
    """Write the parameters of the address as hidden fields, so that they stay, but for those of the form.

    names: further fields on the page.
    """
    own = {"page", "part", *names, *form.fields}
    values = [(name, value) for name, values in context["request"].GET.lists() if name not in own for value in values]
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', values)


@register.inclusion_tag("rankings/_cards.html")
def card_grid(cards: Sequence[Card]) -> dict[str, object]:
    """Draw cards of figures. Figures without a value have no card: they are named below, by reason."""
    return {
        "cards": [card for card in cards if card.figure.value is not None],
        "missing": by_reason(
            (card.title, card.figure.undefined or "no value") for card in cards if card.figure.value is None
        ),
    }


@register.simple_tag(takes_context=True)
def tabs_without_content(context: template.Context) -> dict[str, str]:
    """Return tab of the study, with _ for -, -> why it is empty. Views may give it as `muted`."""
    muted: dict[str, str] | None = context.get("muted")
    if muted is None:
        runs = visible_study_runs(context["request"], context["study"])
        muted = muted_tabs(list(runs.select_related("dataset")))
    return {tab.replace("-", "_"): why for tab, why in muted.items()}


@register.filter
def entry(mapping: dict[str, object], key: str) -> object:
    """Return the entry of a mapping whose key is not an identifier."""
    return mapping[key]


@register.filter
def run_title(run: Run) -> str:
    """Return the title that identifies a run: "SummEval · coherence · flan-t5-xl · comparative-1"."""
    return " · ".join([run.dataset.name, run.attribute.name, run.judge.name, run.prompt_name])


@register.filter
def explained(run: Run) -> bool:
    """Return True if answers of the run can have explanations."""
    return not run.is_scoring and is_explained(run)


@register.filter
def chart_query(request: HttpRequest) -> str:
    """Return the parameters of the address that a chart's files keep, ready to be followed by another."""
    parameters = request.GET.copy()
    for name in ("part", PARAMETER, "width"):
        parameters.pop(name, None)
    return f"{parameters.urlencode()}&" if parameters else ""
