"""`CHART_TABS`, the kinds of charts, and `ChartRequest`: those that an address, a command or the HTTP API asks for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

from evenhand.options import Option, options_of, read_options
from evenhand.refusals import Refused, unknown_choice
from judging.models import Run, Study
from judging.models.datasets import PART_FIELD, TEST
from judging.models.studies_and_reports import part_of_runs
from judging.services.activity import note_looks
from judging.web.options import YES_OR_NO
from rankings.report.answer_options import ANSWERS
from rankings.report.report_choice import ALL, SUBSET
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.chosen_runs import ChosenRuns
from rankings.studies.charts.kinds.agreement import agreement_tab
from rankings.studies.charts.kinds.bias import bias_tab
from rankings.studies.charts.kinds.calibration import calibration_tab
from rankings.studies.charts.kinds.coverage import coverage_tab
from rankings.studies.charts.kinds.curves import curves_tab, without_meaning_for_curves
from rankings.studies.charts.kinds.gaps import length_tab, score_gap_tab
from rankings.studies.charts.kinds.matrix import matrix_tab
from rankings.studies.charts.kinds.order import order_tab
from rankings.studies.charts.kinds.systems import systems_tab
from rankings.studies.charts.run_panels import QUESTION, question_titles
from rankings.studies.dimensions import EVERY, NAME_OF_RUN, Names, names_of_runs, varying
from rankings.studies.forms import subset_choices
from rankings.studies.pivots.pivot_table import DIMENSION_TITLES
from rankings.studies.study_choice import study_choice


@dataclass(frozen=True, slots=True)
class ChartKind:
    """A kind of charts. draw: of the chosen runs, at least one; its keyword-only parameters are the options.

    without: names of options that mean nothing for some runs, so that there are none.
    """

    title: str
    draw: Callable[..., ChartTab]
    without: Callable[[Sequence[Run]], tuple[str, ...]] = lambda runs: ()


CHART_TABS: Mapping[str, ChartKind] = MappingProxyType(
    {
        "curves": ChartKind("Curves", curves_tab, without_meaning_for_curves),
        "bias": ChartKind("Position bias", bias_tab),
        "order": ChartKind("By order", order_tab),
        "coverage": ChartKind("Coverage", coverage_tab),
        "agreement": ChartKind("Agreement", agreement_tab, lambda runs: ("unparsed",)),
        "calibration": ChartKind("Calibration", calibration_tab),
        "length": ChartKind("Length", length_tab),
        "score-gap": ChartKind("Score gap", score_gap_tab),
        "systems": ChartKind("Systems", systems_tab),
        "matrix": ChartKind("Matrix", matrix_tab),
    }
)
"""name -> kind, in the order of pages."""


ANSWER_OPTIONS = (ANSWERS["order"], ANSWERS["unparsed"])
NO_RUNS_YET = "the study has no runs yet"
NO_RUN_LEFT = "no run of the study has all these names"
NAMES_OF_RUNS = ("Its name; * for all. Default: of the first run.", "Its name. Default: all.")
"""Help of dataset and attribute, and of the other dimensions."""


@dataclass(frozen=True, slots=True)
class ChartRequest:
    """A kind of charts and the values of its options. runs: of the study, those that this person may see.

    fixed: names of options with one value. problems: of values that do not fit, and are ignored.
    """

    name: str
    kind: ChartKind
    study: Study
    runs: Sequence[Run]
    names: Mapping[int, Names]
    options: Sequence[Option]
    fixed: frozenset[str]
    values: Mapping[str, Any]
    problems: Sequence[str] = ()

    @classmethod
    def of(
        cls, name: str, values: Mapping[str, Any], study: Study, runs: Sequence[Run], *, is_shared: bool = False
    ) -> "ChartRequest":
        """Read the values of a kind of charts.

        is_shared: all tabs of the study have the same address, so what does not fit is ignored. Else Refused is raised.
        """
        kind, names = kind_named(name), names_of_runs(runs)
        limits, without = list(_limits(study, runs, names, values)), kind.without(runs)
        options = [one for one in (*limits, *ANSWER_OPTIONS, *options_of(kind.draw)) if one.name not in without]
        has_subsets = len(limits[-1].choices or ()) > 1
        fixed = frozenset((*NAME_OF_RUN, SUBSET)).difference(varying(names.values()), [SUBSET] * has_subsets)
        read, problems = _fitting(options, values) if is_shared else (read_options(options, values), ())
        return cls(name, kind, study, runs, names, options, fixed, read, problems)

    @property
    def chosen(self) -> ChosenRuns:
        """Return the runs that the values leave."""
        limits = {name: self.values[name] for name in NAME_OF_RUN if self.values[name] not in ("", EVERY)}
        runs = [run for run in self.runs if all(self.names[run.pk][name] == one for name, one in limits.items())]
        subset = self.values[SUBSET] or part_of_runs(self.study, runs) or ALL
        answers = {one.name: self.values[one.name] for one in ANSWER_OPTIONS if one.name in self.values}
        rows = study_choice(
            self.study, runs, rows="judge", columns="attribute", only=(f"{SUBSET}={subset}",), **answers
        )
        return ChosenRuns(self.study, runs, self.names, subset, rows)

    def drawn(self) -> ChartTab:
        """Draw the charts."""
        chosen, own = self.chosen, {option.name for option in options_of(self.kind.draw)}
        on_test = chosen.rows.answers.subsets_by == PART_FIELD and TEST in (chosen.subsets or ())
        note_looks(chosen.runs, figures="charts of a study", on_test=on_test)
        if chosen.runs:
            return self.kind.draw(chosen, **{name: one for name, one in self.values.items() if name in own})
        return ChartTab(name=self.name, title=self.kind.title, empty=NO_RUN_LEFT if self.runs else NO_RUNS_YET)

    def texts(self, tab: ChartTab) -> dict[str, str]:
        """Return the values that hold as an address has them. tab: the charts, which may have chosen some."""
        known = {**self.values, **tab.usual}
        shown = {option.name: known[option.name] for option in self.options if option.name not in self.fixed}
        return {
            name: YES_OR_NO[True] if one is True else str(one)
            for name, one in shown.items()
            if one is not None and one != "" and one is not False
        }


def kind_named(name: str) -> ChartKind:
    """Return a kind of charts. Raises Refused for an unknown one."""
    if name not in CHART_TABS:
        raise Refused(unknown_choice("chart", name, CHART_TABS))
    return CHART_TABS[name]


def _limits(
    study: Study, runs: Sequence[Run], names: Mapping[int, Names], values: Mapping[str, Any]
) -> Iterator[Option]:
    """Yield the options that choose runs. Attributes are those of the chosen dataset, subsets those of chosen runs."""
    left = list(runs)
    for name in NAME_OF_RUN:
        offered = dict.fromkeys(names[run.pk][name] for run in (left if name in QUESTION else runs))
        option = _dimension(name, {one: one for one in offered})
        yield option
        value = values.get(name)
        chosen = value if isinstance(value, str) and value in (option.choices or {}) else option.default
        left = [run for run in left if chosen in ("", EVERY, names[run.pk][name])]
    yield _subset(subset_choices(study, left))


def _dimension(name: str, offered: Mapping[str, str]) -> Option:
    is_question, every = name in QUESTION, f"all {len(offered)}"
    choices = {**offered, EVERY: every} if is_question else {"": every, **offered}
    return Option(
        NAMES_OF_RUNS[0 if is_question else 1],
        DIMENSION_TITLES[name],
        name=name,
        choices=choices if offered else None,
        default=next(iter(offered), "") if is_question else "",
    )


def _subset(offered: Sequence[str]) -> Option:
    return Option(
        "A subset of the dataset, or a group of the study.",
        DIMENSION_TITLES[SUBSET],
        name=SUBSET,
        choices={name: name for name in (ALL, *offered)},
        default="",
    )


def _fitting(options: Sequence[Option], values: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[str]]:
    """Read those values that fit. Returns them, and the problems of the others."""
    known = {option.name for option in options}
    own = {name: value for name, value in values.items() if name in known}
    try:
        return read_options(options, own), ()
    except Refused as refused:
        wrong = {problem.partition(": ")[0] for problem in refused.problems}
        return read_options(options, {name: own[name] for name in own if name not in wrong}), refused.problems


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
