"""Template filters and tags for figures, differences and p-values."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.forms import Form
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evenhand.numerics import Figure
from judging.models import Campaign, Run, Study
from judging.web.visible_rows import visible_study_runs
from rankings.charts.chart_files import PARAMETER
from rankings.report.pages.sentences_and_cards import Card, by_reason
from rankings.report.printed_numbers import (
    coefficient,
    distortion_sentence,
    interval,
    p_value,
    percent,
    points,
    points_interval,
    ranking_title,
)
from rankings.report.report_columns import definition_of
from rankings.report.report_row import Coefficient
from rankings.studies.charts.muted_tabs import muted_tabs
from rankings.tables.formats import TABLE_FORMATS
from rankings.tabs import WithTabs, tabs_of

register = template.Library()

register.filter("coefficient", coefficient)
register.filter("definition_of", definition_of)
register.simple_tag(distortion_sentence)
register.simple_tag(lambda: TABLE_FORMATS, name="table_formats")
for write in (interval, percent, ranking_title, points, points_interval, p_value):
    register.filter(write)


@register.simple_tag
def definition_link(title: str, definition: str) -> SafeString:
    """Link a title to its definition. definition: an address below docs/reference/."""
    return format_html('<a href="{}reference/{}">{}</a>', reverse("docs"), definition, title)


@register.filter
def with_interval(shown: Figure | Coefficient, is_share: bool = False) -> SafeString:
    """Write a figure above its interval; a dash with the reason where it has no value."""
    if shown.value is None:
        return format_html('<span class="undefined" title="{}">–</span>', shown.undefined)
    below = []
    if shown.low is not None and shown.high is not None:
        ends = f"{coefficient(shown.low)} to {coefficient(shown.high)}"
        below.append(interval(shown) if is_share else ends)
    if isinstance(shown, Coefficient) and shown.epsilon is not None:
        below.append(f"ε = {coefficient(shown.epsilon)}")
    small = format_html_join("", '<br><span class="soft small">{}</span>', ([line] for line in below))
    return format_html("{}{}", percent(shown.value) if is_share else coefficient(shown.value), small)


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


@register.inclusion_tag("rankings/_tabs.html", takes_context=True)
def tabs(context: template.Context, row: WithTabs, here: str, may_edit: bool | None = None) -> dict[str, object]:
    """Draw the tabs of a row and the sections of the tab whose page this is. here: the name of the page.

    Reads the choices of the page (`query` of a study, `answers_query` of a run), and why a study's pages are empty
    (`muted`), where the view has it. may_edit: the person may change the campaign; default: as the database says.
    """
    about: dict[str, Any] = {"query": context.get("answers_query") or ""}
    if isinstance(row, Study):
        about = {"query": context.get("query") or "", "muted": context.get("muted")}
        if about["muted"] is None:
            about["muted"] = muted_tabs(list(visible_study_runs(context["request"], row).select_related("dataset")))
    if isinstance(row, Campaign):
        editable = Campaign.objects.editable_by(context["request"].user)
        about = {"may_edit": editable.filter(pk=row.pk).exists() if may_edit is None else may_edit}
    return {"tabs": tabs_of(row, here, **about), "kind": row._meta.verbose_name}


@register.filter
def entry(mapping: dict[str, object], key: str) -> object:
    """Return the entry of a mapping whose key is not an identifier."""
    return mapping[key]


@register.filter
def run_title(run: Run) -> str:
    """Return the title that identifies a run: "SummEval · coherence · flan-t5-xl · comparative-1"."""
    return " · ".join([run.dataset.name, run.attribute.name, run.judge.name, run.prompt_name])


@register.filter
def chart_query(request: HttpRequest) -> str:
    """Return the parameters of the address that a chart's files keep, ready to be followed by another."""
    parameters = request.GET.copy()
    for name in ("part", PARAMETER, "width"):
        parameters.pop(name, None)
    return f"{parameters.urlencode()}&" if parameters else ""
