"""The form that freezes tables of a study."""

from collections.abc import Mapping, Sequence

from django import forms
from django.http import QueryDict

from evenhand.refusals import Refused
from judging.models import Run, Study
from rankings.frozen.table_queries import TABLE_PARAMETERS, table_choice
from rankings.studies.charts.chart_queries import ChartQuery, fitting_query
from rankings.studies.charts.chart_tabs import CHART_TABS
from rankings.studies.charts.muted_tabs import muted_tabs
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import PIVOT_FIGURES, pivot_figure
from rankings.studies.pivots.pivot_table import figure_title

FURTHER_FIGURES = ("accuracy", "accuracy_both_orders", "p_first", "order_agreement", "spearman", "kendall")
"""Figures that are offered for the same rows and columns, besides the one on the page."""


class FreezeForm(forms.Form):
    """The title of a frozen report, its tables and charts. Tables: that of the address, and others by its rows."""

    title = forms.CharField(max_length=200)
    tables = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)

    charts = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, data: QueryDict | None, *, study: Study, runs: Sequence[Run], address: QueryDict) -> None:
        """address: the parameters of the table's page. runs: of the study, those that this person may see."""
        self.study, self.runs = study, runs
        queries = _queries(address)
        super().__init__(data, initial={"title": study.name, "tables": queries[:1]})
        first_of: dict[str, str] = {}
        for query in queries:
            first_of.setdefault(self._title(query), query)
        self.fields["tables"].choices = [(query, title) for title, query in first_of.items() if title]  # type: ignore[attr-defined]

        muted, chosen = muted_tabs(runs), {name: str(address[name]) for name in address}
        self.fields["charts"].help_text = _help_on_charts(muted)
        self.fields["charts"].choices = [  # type: ignore[attr-defined]
            (str(fitting_query(name, chosen, study, runs)), tab.title)
            for name, tab in CHART_TABS.items()
            if runs and name not in muted
        ]

    def chart_queries(self) -> list[ChartQuery]:
        """Return the chosen charts of a valid form."""
        return [ChartQuery.parse(text) for text in self.cleaned_data["charts"]]

    def choices(self) -> list[PivotChoice]:
        """Return the chosen tables of a valid form."""
        return [table_choice(query, self.study, self.runs) for query in self.cleaned_data["tables"]]

    def _title(self, query: str) -> str:
        """Return the title of a table; "" for one that the study does not have."""
        try:
            choice = table_choice(query, self.study, self.runs)
            choice.require_valid()
        except Refused:
            return ""
        return figure_title(pivot_figure(choice.figure), choice).rstrip(".")


def _help_on_charts(muted: Mapping[str, str]) -> str:
    """Write which settings charts have, and which tabs have nothing to draw."""
    titles: dict[str, list[str]] = {}
    for name, reason in muted.items():
        titles.setdefault(reason.rstrip("."), []).append(CHART_TABS[name].title)
    left_out = "".join(f" No {' and '.join(names)}: {reason}." for reason, names in titles.items())
    return f"Charts use the current settings of their tabs.{left_out}"


def _queries(address: QueryDict) -> list[str]:
    """Return the query of the table on the page, then those of the further figures."""
    shown = address.copy()
    for name in set(shown) - set(TABLE_PARAMETERS) | {"sort"}:
        shown.pop(name, None)
    queries = [shown.urlencode()]
    for figure in FURTHER_FIGURES:
        if figure in PIVOT_FIGURES and figure != shown.get("figure"):
            other = shown.copy()
            other["figure"] = figure
            other.pop("debias", None)
            queries.append(other.urlencode())
    return queries
