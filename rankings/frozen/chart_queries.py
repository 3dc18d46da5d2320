"""A tab of charts of a study by the address of its page, such as `curves?attribute=coherence&ranking=win-ratio`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from django.forms import ChoiceField

from judging.exceptions import Refused, did_you_mean
from judging.models import Run, Study
from rankings.numerics import Figure
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.chart_tabs import CHART_TABS
from rankings.studies.charts.run_labels import question_titles
from rankings.studies.limits_form import LimitsForm
from rankings.tables.table import Table


@dataclass(frozen=True, slots=True)
class ChartQuery:
    """A tab and the parameters of its page."""

    tab: str
    query: str = ""

    @classmethod
    def parse(cls, text: str) -> ChartQuery:
        """Read TAB or TAB?PARAMETERS. Raises Refused for an unknown tab."""
        tab, _, query = text.partition("?")
        if tab not in CHART_TABS:
            raise Refused(
                f'chart: there is no tab "{tab}"{did_you_mean(tab, [*CHART_TABS])}; there are: {", ".join(CHART_TABS)}'
            )
        return cls(tab, query)

    def __str__(self) -> str:
        return f"{self.tab}?{self.query}" if self.query else self.tab


@dataclass(frozen=True, slots=True)
class MadeCharts:
    """The charts of a query, and the runs that they show."""

    query: ChartQuery
    tab: ChartTab
    runs: Sequence[Run]


def made_charts(query: ChartQuery, study: Study, runs: Sequence[Run]) -> MadeCharts:
    """Make the charts of a query. Raises Refused for wrong parameters, and where there is nothing to draw."""
    maker = CHART_TABS[query.tab]
    values = dict(parse_qsl(query.query))
    form = maker.form(values, study, runs)
    problems = [
        f'chart: {query.tab} has no parameter "{name}"{did_you_mean(name, [*form.fields])}; '
        f"there are: {', '.join(form.fields)}"
        for name in values
        if name not in form.fields
    ]
    problems += [
        f'chart: {query.tab}, {name} is "{value}"{_offered(form, name)}'
        for name, value in values.items()
        if name in form.fields and (name in form.errors or form.data.get(name) != value)
    ]
    if problems:
        raise Refused(*problems)
    tab = maker.content(form)
    if tab.empty:
        raise Refused(f"chart: {query} has nothing to draw: {tab.empty}")
    chosen = form.chosen_runs
    if len(question_titles(runs)) > 1:  # the page names them in its controls
        tab = replace(tab, title=f"{tab.title} ({', '.join(question_titles(chosen).values())})")
    return MadeCharts(query, tab, chosen)


def _offered(form: LimitsForm, name: str) -> str:
    """List the values of a choice; "" for a number."""
    field = form.fields[name]
    if not isinstance(field, ChoiceField):
        return ", which is no such number"
    return f"; give one of: {', '.join(str(value) for value, _ in form[name].field.choices if value)}"  # type: ignore[attr-defined]


def fitting_query(name: str, address: Mapping[str, str], study: Study, runs: Sequence[Run]) -> ChartQuery:
    """Return the tab by those parameters of an address that it has."""
    fields = CHART_TABS[name].form(address, study, runs).fields
    return ChartQuery(name, urlencode({key: value for key, value in address.items() if key in fields and value}))


def table_as_json(table: Table) -> dict[str, Any]:
    """Write a table as plain values, in full precision."""
    return {
        "names": list(table.name_titles),
        "columns": [column.heading for column in table.columns],
        "rows": [
            {"names": [str(name) for name in row.names], "figures": [_figure(figure) for figure in row.figures]}
            for row in table.rows
        ],
    }


def _figure(figure: Figure | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    return {name: getattr(figure, name) for name in ("value", "low", "high", "n", "undefined")}
