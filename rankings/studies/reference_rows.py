"""Rows to compare judges with: people, and a judge that always prefers the text shown first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from rankings.numerics import Figure
from rankings.report.report_choice import SUBSET
from rankings.studies.best_cells import members_of
from rankings.studies.measured_runs import MeasuredRun, measured_runs
from rankings.studies.pivot import Pivot
from rankings.studies.pivot_choice import PivotChoice
from rankings.studies.pivot_figures import USUAL_FIGURE, pivot_figure
from rankings.studies.pivot_source import RunParts
from rankings.tables.table import Row, Table

HUMAN_CEILING = {"accuracy": "human", "accuracy_debiased": "human", "p_first": "human_p_first"}
"""figure -> the same figure of people."""
WITH_CONSTANT_JUDGE = ("accuracy", "accuracy_debiased")
ALWAYS_FIRST = "Always first"


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
        rows.append(("People", [_people(column, HUMAN_CEILING[figure]) for column in columns]))
    if figure in WITH_CONSTANT_JUDGE:
        measured = measured_runs([part.run for part in parts], USUAL_FIGURE, choice.answers)
        rows.append((ALWAYS_FIRST, [_always_first(column, measured, choice) for column in columns]))
    names, others = [""] * (len(like.name_titles) - 1), [None] * (len(like.columns) - len(columns))
    return [
        Row((title, *names), (*figures, *others), is_people=True)
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


def _always_first(column: PivotColumn, measured: Mapping[int, MeasuredRun], choice: PivotChoice) -> Figure | None:
    """Return the accuracy of a judge that prefers the text shown first, on all pairs that the runs answered."""
    if column.subset is None or not column.is_one_question:
        return None
    members = members_of(column.subset, choice)
    right: dict[int, float] = {}
    for run in (measured[part.run.pk] for part in column.parts):
        counts = run.contexts_of(members)[run.contexts] & ~np.isnan(run.right)
        right |= zip(run.keys[counts].tolist(), run.right[counts].tolist(), strict=True)
    return Figure(fmean(right.values()), n=len(right)) if right else None
