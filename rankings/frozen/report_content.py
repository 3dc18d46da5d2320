"""`ReportContent`: the tables of a frozen report in full precision, what they rest on, and a table by its address."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs

from django.utils import timezone

from evenhand.numerics import Figure
from evenhand.options import options_of, read_options
from evenhand.refusals import Refused, raise_if_any
from judging.models import Dataset, Exclusion, Run, Study
from rankings.citations.methods_text import MethodsText, methods_text
from rankings.frozen.certificate import Certificate, certificate_of
from rankings.report.report_choice import ReportChoice, SubsetGroup
from rankings.report.report_rows import report_rows
from rankings.report_cache import computed_again
from rankings.studies.charts.chart_request import ChartQuery, made_charts
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.dimensions import DIMENSIONS
from rankings.studies.pivots.pivot import Pivot, pivot_of
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import FigureChoice, pivot_figure
from rankings.studies.pivots.pivot_source import parts_of_runs
from rankings.studies.pivots.pivot_table import figure_title
from rankings.studies.study_choice import study_choice
from rankings.studies.study_page import DrawnTable, study_table
from rankings.tables.table import Table

FORMAT = "evenhand-report-1"
MOST_TABLES, MOST_CHARTS = 20, 12


@dataclass(frozen=True)
class FrozenTable:
    """A table of a frozen report. choice: what it shows, as `choice_of` reads it."""

    title: str
    choice: Mapping[str, Any]
    pivot: Pivot


@dataclass(frozen=True)
class FrozenChart:
    """A tab of charts with the numbers of its table. query: its address."""

    title: str
    sentence: str
    query: str
    table: Mapping[str, Any]


@dataclass(frozen=True)
class MethodsOfDataset:
    """The methods paragraph of the runs on one dataset, with its sources."""

    dataset: str
    text: MethodsText


@dataclass(frozen=True)
class ReportContent:
    """Everything that a frozen report says, and what it was frozen from.

    frozen_by: an account's name; "" for the command line. runs: of the study; their names depend on each other.
    groups: of subsets, of the study. part: on which the study reports; "" for all contexts.
    """

    format: str
    name: str
    study: str
    description: str
    frozen_at: str
    frozen_by: str
    runs: Sequence[int]
    groups: Sequence[str]
    part: str
    tables: Sequence[FrozenTable]
    charts: Sequence[FrozenChart]
    methods: Sequence[MethodsOfDataset]
    certificate: Certificate


@dataclass(frozen=True)
class Freezing:
    """The content of a report, and its tables and charts as pages draw them."""

    content: ReportContent
    tables: Sequence[DrawnTable]
    tabs: Sequence[ChartTab] = ()


@computed_again()
def freeze(
    study: Study,
    runs: Sequence[Run],
    choices: Sequence[PivotChoice],
    charts: Sequence[ChartQuery] = (),
    *,
    name: str = "",
    frozen_at: datetime | None = None,
    frozen_by: str = "",
) -> Freezing:
    """Compute the report of a study. runs: of the study, those that the author may see. Raises Refused.

    name: default: that of the study. frozen_at: default: now.
    """
    raise_if_any(_problems(study, runs, choices, charts))
    tables, frozen, used = [], [], dict[int, Run]()
    for choice in choices:
        choice.require_valid()
        parts = parts_of_runs(runs, choice)
        used |= {part.run.pk: part.run for part in parts}
        tables.append(study_table(parts, choice))
        title = figure_title(pivot_figure(choice.figure), choice).rstrip(".")
        frozen.append(FrozenTable(title, choice_as_json(choice), pivot_of(parts, choice)))
    made = [made_charts(query, study, runs) for query in charts]
    used |= {run.pk: run for one in made for run in one.runs}
    in_order = [run for run in runs if run.pk in used]
    content = ReportContent(
        format=FORMAT,
        name=name or study.name,
        study=study.name,
        description=study.description,
        frozen_at=(frozen_at or timezone.now()).isoformat(timespec="seconds"),
        frozen_by=frozen_by,
        runs=[run.pk for run in runs],
        groups=study.groups,
        part=study.part,
        tables=frozen,
        charts=[
            FrozenChart(one.tab.title, one.tab.sentence, str(one.query), _table_as_json(one.tab.table)) for one in made
        ],
        methods=list(_methods(in_order, choices, _shown_figures(choices, tables))),
        certificate=certificate_of(in_order),
    )
    return Freezing(content, tables, [one.tab for one in made])


def _problems(
    study: Study, runs: Sequence[Run], choices: Sequence[PivotChoice], charts: Sequence[ChartQuery]
) -> Iterator[str]:
    if not runs:
        yield f'study: "{study.name}" has no runs yet'
    if not 1 <= len(choices) <= MOST_TABLES:
        yield f"table: choose 1 to {MOST_TABLES} tables, not {len(choices)}"
    if len(charts) > MOST_CHARTS:
        yield f"chart: choose up to {MOST_CHARTS} charts, not {len(charts)}"


def choice_as_json(choice: PivotChoice) -> dict[str, Any]:
    """Write a choice as plain values."""
    answers, figure = choice.answers, choice.figure
    return {
        "rows": list(choice.rows),
        "columns": list(choice.columns),
        "figure": figure.name,
        "ranking": figure.ranking,
        "level": figure.level,
        "debiased": figure.debiased,
        "only": [list(one) for one in choice.only],
        "order": answers.order,
        "unparsed": answers.unparsed,
        "groups": [{"name": group.name, "subsets": list(group.subsets)} for group in answers.groups],
        "subsets_by": answers.subsets_by,
        "without_system": list(answers.exclusion.systems),
        "without_context": list(answers.exclusion.contexts),
    }


def choice_of(values: Mapping[str, Any]) -> PivotChoice:
    """Read what `choice_as_json` wrote. Raises KeyError for a missing value."""
    return PivotChoice(
        rows=tuple(values["rows"]),
        columns=tuple(values["columns"]),
        figure=FigureChoice(values["figure"], values["ranking"], values["level"], values["debiased"]),
        only=tuple((dimension, name) for dimension, name in values["only"]),
        answers=ReportChoice(
            order=values["order"],
            unparsed=values["unparsed"],
            groups=tuple(SubsetGroup(group["name"], tuple(group["subsets"])) for group in values["groups"]),
            subsets_by=values["subsets_by"],
            exclusion=Exclusion.of(systems=values["without_system"], contexts=values["without_context"]),
        ),
    )


def _shown_figures(choices: Sequence[PivotChoice], tables: Sequence[DrawnTable]) -> set[str]:
    figures = [choice.figure for choice in choices]
    shown = {
        "accuracy": any(figure.name == "accuracy" for figure in figures),
        "debiased": any(figure.debiased for figure in figures),
        "correlations": any(pivot_figure(figure).is_ranked for figure in figures),
        "tests": any(row.ties for table in tables for row in table.table.rows),
    }
    return {name for name, is_shown in shown.items() if is_shown}


def _methods(runs: Sequence[Run], choices: Sequence[PivotChoice], shown: set[str]) -> list[MethodsOfDataset]:
    """Return the methods paragraph of each dataset. The first table says which answers count, and the ranking."""
    answers, ranking = choices[0].answers, choices[0].figure.ranking
    by_dataset: dict[Dataset, list[Run]] = {}
    for run in runs:
        by_dataset.setdefault(run.dataset, []).append(run)
    return [
        MethodsOfDataset(
            dataset.name,
            methods_text(
                dataset,
                of_dataset,
                report_rows(dataset, runs=of_dataset, choice=ReportChoice(answers.order, answers.unparsed)),
                ranking=ranking,
                shown=shown,
            ),
        )
        for dataset, of_dataset in by_dataset.items()
    ]


def _table_as_json(table: Table) -> dict[str, Any]:
    """Write a table as plain values, in full precision."""
    return {
        "names": list(table.name_titles),
        "columns": [column.heading for column in table.columns],
        "rows": [
            {"names": [str(name) for name in row.names], "figures": [_figure_as_json(figure) for figure in row.figures]}
            for row in table.rows
        ],
    }


def _figure_as_json(figure: Figure | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    return {name: getattr(figure, name) for name in ("value", "low", "high", "n", "undefined")}


NOT_ON_THE_PAGE = ("only", "subsets_by", "without_system", "without_context")
TABLE_OPTIONS = [option for option in options_of(study_choice) if option.name not in NOT_ON_THE_PAGE]
TABLE_PARAMETERS = (*(option.name for option in TABLE_OPTIONS), "sort", *DIMENSIONS)
"""Parameters that a table may have. `sort` changes no figure, and is left out."""


def table_choice(query: str, study: Study, runs: Sequence[Run]) -> PivotChoice:
    """Return the table of a query. Empty parameters are the usual ones. Raises Refused with every problem."""
    values = parse_qs(query.lstrip("?"))
    only = tuple(f"{name}={text}" for name in DIMENSIONS for text in values.pop(name, ()))
    values.pop("sort", None)
    try:
        read = read_options(
            TABLE_OPTIONS, {name: texts if name == "group" else texts[-1] for name, texts in values.items()}
        )
    except Refused as refused:
        raise Refused(*(f"table: {problem}" for problem in refused.problems)) from refused
    return study_choice(study, runs, only=only, **read)
