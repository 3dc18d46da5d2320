"""Charts of a study by the address of their tab, such as `curves?attribute=coherence&ranking=win-ratio`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlencode

from evenhand.refusals import Refused
from judging.models import Run, Study
from judging.models.study_parts import part_of_runs
from rankings.report.report_choice import ALL
from rankings.studies.charts.chart_request import ChartRequest, kind_named
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.run_panels import question_titles


@dataclass(frozen=True, slots=True)
class ChartQuery:
    """A kind of charts and the parameters of its page."""

    tab: str
    query: str = ""

    @classmethod
    def parse(cls, text: str) -> "ChartQuery":
        """Read TAB or TAB?PARAMETERS. Raises Refused for an unknown tab."""
        tab, _, query = text.partition("?")
        kind_named(tab)
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
    """Make the charts of a query. Their title names the question and the subset, because readers have no controls.

    Raises Refused for wrong parameters, and where there is nothing to draw.
    """
    try:
        request = ChartRequest.of(query.tab, dict(parse_qsl(query.query)), study, runs)
    except Refused as refused:
        raise Refused(*(f"chart: {query.tab}, {problem}" for problem in refused.problems)) from refused
    tab, chosen = request.drawn(), request.chosen
    if tab.empty:
        raise Refused(f"chart: {query} has nothing to draw: {tab.empty}")
    limits = list(question_titles(chosen.runs).values()) if len(question_titles(runs)) > 1 else []
    if chosen.subset != ALL:
        is_part = chosen.subset == part_of_runs(study, chosen.runs)
        limits.append(f"{chosen.subset} part" if is_part else chosen.subset)
    title = f"{tab.title} ({', '.join(limits)})" if limits else tab.title
    return MadeCharts(query, replace(tab, title=title), chosen.runs)


def fitting_query(name: str, address: Mapping[str, str], study: Study, runs: Sequence[Run]) -> ChartQuery:
    """Return a kind of charts by those values of an address that fit it."""
    request = ChartRequest.of(name, address, study, runs, is_shared=True)
    own = {option.name for option in request.options} - request.fixed
    wrong = {problem.partition(": ")[0] for problem in request.problems}
    return ChartQuery(name, urlencode({key: value for key, value in address.items() if value and key in own - wrong}))
