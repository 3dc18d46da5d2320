"""`TabFigures`: everything that a tab of a study shows, for the command `study_figures` and the HTTP API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from evenhand.numerics.figure import IntervalFigure
from evenhand.report_json import Help, IfAny
from judging.models import Run, Study
from rankings.charts.chart_files import chart_points
from rankings.studies.charts.chart_request import ChartRequest
from rankings.studies.charts.chart_tab import ChartTab, NamedChart
from rankings.tables.table import Table


@dataclass(frozen=True)
class TabColumn:
    """A column of the table."""

    name: Annotated[str, Help("As in the CSV file.")]
    title: str
    group: Annotated[str, Help("The title that neighbouring columns share, or empty.")]
    kind: Annotated[str, Help("share (from 0 to 1), coefficient, count, number or p.")]
    definition: Annotated[str, Help("Its address below docs/reference/, or empty.")]


@dataclass(frozen=True)
class TabRow:
    """A row of the table. figures: one for each column."""

    names: Annotated[Sequence[str], Help("One for each of the table's names.")]
    is_people: Annotated[bool, Help("The row is of people, and not of a run.")]
    figures: Annotated[Sequence[IntervalFigure | None], Help("null: the row has no such figure.")]


@dataclass(frozen=True)
class TabPoint:
    """A point of a chart, or a cell of a matrix or grid."""

    series: Annotated[str, Help("The line or dot; in a matrix the row, in a grid the middle of the row.")]
    x: Annotated[float | None, Help("null in a matrix.")]
    column: Annotated[IfAny[str], Help("In a matrix: the name of the column.")]
    y: Annotated[float | None, Help("In a matrix or grid: the number of the cell; null for an empty one.")]
    low: float | None
    high: float | None


@dataclass(frozen=True)
class TabChart:
    """The numbers of a chart."""

    name: Annotated[str, Help("Of its files.")]
    title: str
    note: Annotated[str, Help("Its caption in a paper.")]
    points: Sequence[TabPoint]


@dataclass(frozen=True)
class TabFigures:
    """The charts and the table of one tab of a study."""

    study: str
    tab: str
    title: str
    sentence: str
    definition: Annotated[str, Help("An address below docs/reference/.")]
    choices: Annotated[Mapping[str, str], Help("Parameter -> its value, as the page shows it.")]
    runs: Annotated[Sequence[int], Help("The runs that the choices leave.")]
    names: Annotated[Sequence[str], Help("What the names of a row stand for.")]
    columns: Sequence[TabColumn]
    rows: Sequence[TabRow]
    charts: Sequence[TabChart]
    notes: Sequence[str]
    undefined: Annotated[IfAny[str], Help("Why there is nothing to draw.")] = None


@dataclass(frozen=True, slots=True)
class MadeTab:
    """A tab with its figures. table: as in files."""

    figures: TabFigures
    table: Table


def made_tab(tab: str, values: Mapping[str, Any], study: Study, runs: Sequence[Run]) -> MadeTab:
    """Make a tab of a study. values: of its options. runs: of the study, those that the reader may see.

    Raises Refused for an unknown tab, and for an option or value that the tab does not have.
    """
    request = ChartRequest.of(tab, values, study, runs)
    content = request.drawn()
    figures = TabFigures(
        study=study.name,
        tab=content.name,
        title=content.title,
        sentence=content.sentence,
        definition=content.definition,
        choices=request.texts(content),
        runs=[run.pk for run in request.chosen.runs],
        names=content.table.name_titles,
        columns=[TabColumn(one.name, one.title, one.group, one.kind, one.definition) for one in content.table.columns],
        rows=[TabRow(list(map(str, one.names)), one.of != "judge", one.figures) for one in content.table.rows],
        charts=[_chart(one, content) for one in content.charts],
        notes=content.notes,
        undefined=content.empty or None,
    )
    return MadeTab(figures, content.table)


def _chart(one: NamedChart, content: ChartTab) -> TabChart:
    meta = one.chart["layout"]["meta"]
    points = [_point(point) for point in chart_points(one.chart)]
    return TabChart(meta["name"], one.title or content.title, meta["note"], points)


def _point(point: Mapping[str, Any]) -> TabPoint:
    """Return a point of a chart. Files have empty texts where it has no number."""
    x, y, low, high = (None if point[name] == "" else point[name] for name in ("x", "y", "low", "high"))
    is_named = isinstance(x, str)
    return TabPoint(str(point["series"]), None if is_named else x, x if is_named else None, y, low, high)
