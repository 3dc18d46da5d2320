"""Rows to compare judges with: people, a judge that always prefers the first text, and one that prefers the longer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics import Figure
from evenhand.numerics.arrays import FloatArray, IntArray
from rankings.report.figures.simple_judges import LONGER_TEXT, PEOPLE, SIMPLE_JUDGES
from rankings.report.report_choice import SUBSET
from rankings.studies.measured_runs import MeasuredRun, is_tested, measured_runs
from rankings.studies.pivots.best_cells import members_of
from rankings.studies.pivots.pivot import Pivot
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import USUAL_FIGURE, pivot_figure
from rankings.studies.pivots.pivot_source import RunParts
from rankings.tables.table import FOR_COMPARISON, Row, Table

HUMAN_CEILING = {"accuracy": "ceiling", "accuracy_debiased": "ceiling", "p_first": "human_p_first"}
"""figure -> the same figure of people."""
WITH_SIMPLE_JUDGES = ("accuracy", "accuracy_debiased")


@dataclass(frozen=True, slots=True)
class PivotColumn:
    """A column of a pivot table: its runs, and its subset. The subset is None where rows differ in it."""

    parts: Sequence[RunParts]
    subset: str | None

    @property
    def is_one_question(self) -> bool:
        """Return True if all runs are of one dataset and attribute, and of one subset."""
        return self.subset is not None and len({(one.run.dataset_id, one.run.attribute_id) for one in self.parts}) == 1


def reference_rows(pivot: Pivot, parts: Sequence[RunParts], choice: PivotChoice, *, like: Table) -> list[Row]:
    """Return the rows for the figure of a table; none for other figures, and none without a value."""
    figure = pivot_figure(choice.figure).name
    columns = [_column(pivot, place, parts, choice) for place in range(len(pivot.columns))]
    rows: list[tuple[str, list[Figure | None]]] = []
    if figure in HUMAN_CEILING:
        rows.append((PEOPLE, [_people(column, HUMAN_CEILING[figure]) for column in columns]))
    runs = [part.run for part in parts]
    if figure in WITH_SIMPLE_JUDGES:
        measured = measured_runs(runs, USUAL_FIGURE, choice.answers)
        rows += [
            (judge.name, [_accuracy(column, measured, choice, place) for column in columns])
            for place, judge in enumerate(SIMPLE_JUDGES)
        ]
    if figure == "spearman" and is_tested(choice.figure):
        measured = measured_runs(runs, choice.figure, choice.answers)
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


def _people(column: PivotColumn, name: str) -> Figure | None:
    """Return the figure of people; None where the runs are of different contexts, so that it differs."""
    if column.subset is None or not column.is_one_question:
        return None
    rows = [part.rows[column.subset] for part in column.parts if column.subset in part.rows]
    figures = dict.fromkeys(getattr(row, name) for row in rows)
    return next(iter(figures)) if len(figures) == 1 else None


def _accuracy(
    column: PivotColumn, measured: Mapping[int, MeasuredRun], choice: PivotChoice, place: int
) -> Figure | None:
    """Return the accuracy of a simple judge, by its place, on all pairs that the runs answered; a tie counts 1/2."""
    if column.subset is None or not column.is_one_question:
        return None
    members = members_of(column.subset, choice)
    keys, credits = [], []
    for run in (measured[part.run.pk] for part in column.parts):
        credit = 1 - np.abs(run.simple[place] - run.right)
        counts = run.contexts_of(members)[run.contexts] & ~np.isnan(credit)
        keys.append(run.keys[counts])
        credits.append(credit[counts])
    return _mean_of_each_once(keys, credits)


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
