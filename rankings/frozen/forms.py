"""The form that freezes tables of a study."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.http import QueryDict

from judging.exceptions import Refused
from judging.models import Run, Study
from rankings.frozen.table_queries import KNOWN, table_choice
from rankings.studies.pivot_choice import PivotChoice
from rankings.studies.pivot_figures import PIVOT_FIGURES, pivot_figure
from rankings.studies.pivot_table import figure_title

FURTHER_FIGURES = ("accuracy", "accuracy_both_orders", "p_first", "order_agreement", "spearman", "kendall")
"""Figures that are offered for the same rows and columns, besides the one on the page."""


class FreezeForm(forms.Form):
    """The title of a frozen report, and its tables: the one of the address, and further figures by the same rows."""

    title = forms.CharField(max_length=200)
    tables = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)

    def __init__(self, data: QueryDict | None, *, study: Study, runs: Sequence[Run], address: QueryDict) -> None:
        """address: the parameters of the table's page. runs: of the study, those that this person may see."""
        self.study, self.runs = study, runs
        queries = _queries(address)
        super().__init__(data, initial={"title": study.name, "tables": queries[:1]})
        titles = {query: self._title(query) for query in queries}
        first_of = {title: query for query, title in reversed(titles.items()) if title}
        self.fields["tables"].choices = [  # type: ignore[attr-defined]
            (query, title) for query, title in titles.items() if first_of.get(title) == query
        ]

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


def _queries(address: QueryDict) -> list[str]:
    """Return the query of the table on the page, then those of the further figures."""
    shown = address.copy()
    for name in set(shown) - set(KNOWN) | {"sort"}:
        shown.pop(name, None)
    queries = [shown.urlencode()]
    for figure in FURTHER_FIGURES:
        if figure in PIVOT_FIGURES and figure != shown.get("figure"):
            other = shown.copy()
            other["figure"] = figure
            other.pop("debias", None)
            queries.append(other.urlencode())
    return queries
