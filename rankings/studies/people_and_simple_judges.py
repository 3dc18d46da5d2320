"""Rows to compare judges with: people, a judge that always prefers the first text, and one that prefers the longer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics import Figure
from evenhand.numerics.arrays import FloatArray, IntArray
from rankings.report.figures.simple_judges import LONGER_TEXT, PEOPLE, SIMPLE_JUDGES
from rankings.report.people_and_simple_judges import compared_sets
from rankings.report.report_choice import SUBSET
from rankings.report.report_row import ReportRow
from rankings.studies.measured_runs import MeasuredRun, is_tested, measured_runs
from rankings.studies.pivots.best_cells import members_of
from rankings.studies.pivots.pivot import Pivot
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import pivot_figure
from rankings.studies.pivots.pivot_source import RunParts
from rankings.tables.table import FOR_COMPARISON, Row, Table, WithKappa


@dataclass(frozen=True, slots=True)
class PivotColumn:
    """A column of a pivot table: its runs, and its subset. The subset is None where rows differ in it."""

    parts: Sequence[RunParts]
    subset: str | None

    @property
    def is_one_question(self) -> bool:
        """Return True if all runs are of one dataset and attribute, and of one subset."""
        return self.subset is not None and len({(one.run.dataset_id, one.run.attribute_id) for one in self.parts}) == 1

    @property
    def rows(self) -> list[ReportRow]:
        """Return the report rows of the runs; none where they are of several questions."""
        own = [part.rows.get(self.subset or "") for part in self.parts] if self.is_one_question else []
        return [row for row in own if row is not None]


def reference_rows(pivot: Pivot, parts: Sequence[RunParts], choice: PivotChoice, *, like: Table) -> list[Row]:
    """Return the rows for the figure of a table; none for other figures, and none without a value."""
    figure = pivot_figure(choice.figure).name
    columns = [_column(pivot, place, parts, choice) for place in range(len(pivot.columns))]
    rows: list[tuple[str, list[Figure | None]]] = []
    if figure == "p_first":
        rows.append((PEOPLE, [_people(column) for column in columns]))
    if figure in ("accuracy", "accuracy_debiased"):
        has_kappa = figure == "accuracy"
        names_of_rows = (PEOPLE, *(judge.name for judge in SIMPLE_JUDGES))
        rows += [
            (name, [_accuracy(column, place, has_kappa=has_kappa) for column in columns])
            for place, name in enumerate(names_of_rows)
        ]
    if figure == "spearman" and is_tested(choice.figure):
        measured = measured_runs([part.run for part in parts], choice.figure, choice.answers)
        rows.append((LONGER_TEXT, [_length_correlation(column, measured, choice) for column in columns]))
    names, others = [""] * (len(like.name_titles) - 1), [None] * (len(like.columns) - len(columns))
    return [
        Row((title, *names), (*figures, *others), of="comparison", section=FOR_COMPARISON)
        for title, figures in rows
        if any(one and one.value is not None for one in figures)
    ]


def _column(pivot: Pivot, place: int, parts: Sequence[RunParts], choice: PivotChoice) -> PivotColumn:
    runs = {run for line in pivot.cells for run in line[place].runs}
    own = [part for part in parts if part.run.pk in runs]
    if SUBSET in pivot.column_dimensions:
        return PivotColumn(own, pivot.column_names[place][list(pivot.column_dimensions).index(SUBSET)])
    return PivotColumn(own, None if SUBSET in pivot.row_dimensions else choice.subsets[0])


def _people(column: PivotColumn) -> Figure | None:
    """Return P(first) of people; None where the runs are of different contexts, so that it differs."""
    figures = dict.fromkeys(row.human_p_first for row in column.rows)
    return next(iter(figures)) if len(figures) == 1 else None


def _accuracy(column: PivotColumn, place: int, *, has_kappa: bool) -> Figure | None:
    """Return the accuracy of people or of a simple judge, by its place; None where the runs were asked other pairs."""
    sets = [*compared_sets(column.rows)]
    found = [one for one, _ in sets[place] if one.accuracy.value is not None] if column.rows else []
    if len(found) != 1:
        return None
    own, kappa = found[0].accuracy, found[0].kappa.value if has_kappa else None
    return WithKappa(own.value, own.low, own.high, own.n, own.undefined, None, kappa)


def _length_correlation(column: PivotColumn, measured: Mapping[int, MeasuredRun], choice: PivotChoice) -> Figure | None:
    """Return the mean correlation of the texts' lengths with human scores, over the contexts that the runs answered."""
    if column.subset is None or not column.is_one_question:
        return None
    members = members_of(column.subset, choice)
    contexts, values = [], []
    for run in (measured[part.run.pk] for part in column.parts):
        counted = np.flatnonzero(run.contexts_of(members) & ~np.isnan(run.length_correlations))
        contexts.append(counted)
        values.append(run.length_correlations[counted])
    return _mean_of_each_once(contexts, values)


def _mean_of_each_once(keys: Sequence[IntArray], values: Sequence[FloatArray]) -> Figure | None:
    """Average values, each key's once; None without any. keys, values: of each run, equally long."""
    _, once = np.unique(np.concatenate(keys), return_index=True)
    return Figure(float(np.concatenate(values)[once].mean()), n=len(once)) if len(once) else None
