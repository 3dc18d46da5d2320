"""A tab of charts of a study by the address of its page, such as `curves?attribute=coherence&ranking=win-ratio`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlencode

from django.forms import ChoiceField

from evenhand.refusals import Refused, did_you_mean
from judging.models import Run, Study
from rankings.report.report_choice import ALL
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.chart_tabs import CHART_TABS
from rankings.studies.charts.report_form import ReportTabForm
from rankings.studies.charts.run_labels import question_titles
from rankings.studies.limits_form import LimitsForm


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
    form = chosen_form(query, study, runs)
    tab = CHART_TABS[query.tab].content(form)
    if tab.empty:
        raise Refused(f"chart: {query} has nothing to draw: {tab.empty}")
    chosen = form.chosen_runs
    limits = [*(question_titles(chosen).values() if len(question_titles(runs)) > 1 else ()), *_chosen_subset(form)]
    title = f"{tab.title} ({', '.join(limits)})" if limits else tab.title  # a page names them in its controls
    return MadeCharts(query, replace(tab, title=title), chosen)


def _chosen_subset(form: ReportTabForm) -> list[str]:
    """Return the subset or part that the charts cover; nothing for all contexts."""
    if form.chosen_subset == ALL:
        return []
    return [f"{form.chosen_subset} part" if form.chosen_subset == form.chosen_part else form.chosen_subset]


def chosen_form(query: ChartQuery, study: Study, runs: Sequence[Run]) -> ReportTabForm:
    """Return the form of a tab with the choices of a query. Raises Refused for wrong parameters."""
    values = dict(parse_qsl(query.query))
    form = CHART_TABS[query.tab].form(values, study=study, runs=runs)
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
    return form


def _offered(form: LimitsForm, name: str) -> str:
    """List the values of a choice; "" for a number."""
    field = form.fields[name]
    if not isinstance(field, ChoiceField):
        return ", which is no such number"
    return f"; give one of: {', '.join(str(value) for value, _ in form[name].field.choices if value)}"  # type: ignore[attr-defined]


def fitting_query(name: str, address: Mapping[str, str], study: Study, runs: Sequence[Run]) -> ChartQuery:
    """Return the tab by those parameters of an address that it has."""
    fields = CHART_TABS[name].form(address, study=study, runs=runs).fields
    return ChartQuery(name, urlencode({key: value for key, value in address.items() if key in fields and value}))
