"""`pivot_of`: one figure of the runs of a study, by any dimensions as rows and columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from evenhand.numerics.correlation.coefficients import Level
from evenhand.report_json import Help, IfAny
from rankings.report.prompt_means import RunFigure, mean_of_runs
from rankings.report.report_choice import SUBSET
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import pivot_figure
from rankings.studies.pivots.pivot_source import RunParts

SEPARATOR = " · "
NO_RUN = "no such run"
PlaceNames = tuple[str, ...]
"""The names of a row or column, one per dimension."""


@dataclass(frozen=True)
class PivotCell:
    """The figure of one run, or the mean over several.

    low, high: of one run's figure; null for several. n: sum over the runs. sd: sample standard deviation over runs.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int | None
    sd: Annotated[float | None, Help("Sample standard deviation over the runs; null for one run.")]
    runs: Annotated[Sequence[int], Help("The runs that the cell averages.")]
    undefined: Annotated[IfAny[str], Help("Why the value is null.")] = None


@dataclass(frozen=True)
class Pivot:
    """A pivot table. cells: one list per row, one cell per column."""

    rows: Sequence[str]
    columns: Sequence[str]
    figure: str
    ranking: Annotated[str | None, Help("Of the figure; null where it depends on none.")]
    level: Annotated[Level | None, Help("Of the figure; null where it depends on none.")]
    debiased: bool
    row_dimensions: Sequence[str]
    column_dimensions: Sequence[str]
    row_names: Annotated[Sequence[Sequence[str]], Help("The name of each row in each of its dimensions.")]
    column_names: Annotated[Sequence[Sequence[str]], Help("The name of each column in each of its dimensions.")]
    cells: Sequence[Sequence[PivotCell]]


def pivot_of(parts: Sequence[RunParts], choice: PivotChoice) -> Pivot:
    """Return the pivot table of report rows."""
    figures: dict[tuple[PlaceNames, PlaceNames], list[RunFigure]] = {}
    for part in parts:
        for subset in (one for one in part.subsets if not choice.subsets or one in choice.subsets):
            place = (_key(part, subset, choice.rows), _key(part, subset, choice.columns))
            figures.setdefault(place, []).append((part.run.pk, part.figure(subset, choice.figure)))
    rows = _ordered([row for row, _ in figures], choice.rows, parts)
    columns = _ordered([column for _, column in figures], choice.columns, parts)
    is_ranked = pivot_figure(choice.figure).is_ranked
    return Pivot(
        rows=[SEPARATOR.join(row) for row in rows],
        columns=[SEPARATOR.join(column) for column in columns],
        figure=choice.figure.name,
        ranking=choice.figure.ranking if is_ranked else None,
        level=choice.figure.level if is_ranked else None,
        debiased=choice.figure.debiased,
        row_dimensions=choice.rows,
        column_dimensions=choice.columns,
        row_names=rows,
        column_names=columns,
        cells=[[cell_of(figures.get((row, column), [])) for column in columns] for row in rows],
    )


def cell_of(figures: Sequence[RunFigure]) -> PivotCell:
    """Return the cell of some runs. It is undefined if the figure of one of them is."""
    if len(figures) == 1:
        [(run, figure)] = figures
        return PivotCell(figure.value, figure.low, figure.high, figure.n, None, [run], figure.undefined)
    mean = mean_of_runs(figures)
    runs, undefined = [run for run, _ in figures], None if mean.value is not None else mean.undefined or NO_RUN
    return PivotCell(mean.value, None, None, mean.n, mean.sd, runs, undefined)


def _ordered(keys: Sequence[PlaceNames], dimensions: Sequence[str], parts: Sequence[RunParts]) -> list[PlaceNames]:
    """Return each key once, in the order of the runs. Subsets on their own keep the order of the reports."""
    distinct = list(dict.fromkeys(keys))
    if tuple(dimensions) != (SUBSET,):
        return distinct
    order = list(dict.fromkeys(subset for part in parts for subset in part.subsets))
    return sorted(distinct, key=lambda key: order.index(key[0]))


def _key(part: RunParts, subset: str, dimensions: Sequence[str]) -> PlaceNames:
    return tuple(subset if name == SUBSET else part.names[name] for name in dimensions)
