"""`with_tie_marks`: marks the cells of a pivot table that are not significantly worse than the best of their column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rankings.compare.compared_figures import adjusted
from rankings.compare.comparison_of_runs import LEVEL_OF_TEST
from rankings.numerics import holm_adjusted
from rankings.numerics.significance.paired_tests import paired_differences
from rankings.record_states import states_of
from rankings.report.report_choice import ALL, SUBSET
from rankings.report_cache import cached
from rankings.studies.measured_runs import MeasuredRun, gaps_between, is_tested, measured_runs
from rankings.studies.pivot import Pivot, PivotCell
from rankings.studies.pivot_choice import PivotChoice
from rankings.studies.pivot_figures import pivot_figure
from rankings.studies.pivot_source import RunParts
from rankings.tables.table import Table

NOT_EVERY_TEST = "Not every difference to the best is tested"
SEVERAL_RUNS = "cells of several runs are not tested"
NO_TEST = "differences of this figure are not tested"
OTHER_PAIRS = "runs with other comparisons, or with one context in common, are not tested"

LEAST_IDENTICAL = 3
"""Common contexts from which a run that never differs from the best ties with it without a test."""


@dataclass(frozen=True)
class ColumnTies:
    """The rows of a column that are not significantly worse than the best, without the best.

    untested: why some rows are not tested; "" if all are.
    """

    rows: frozenset[int]
    untested: str = ""


def with_tie_marks(table: Table, pivot: Pivot, parts: Sequence[RunParts], choice: PivotChoice) -> Table:
    """Return the table with ties and a note on what is not tested."""
    if not pivot_figure(choice.figure).higher_is_better:
        return table
    ties = column_ties(pivot, parts, choice)
    rows = tuple(
        replace(row, ties=frozenset(place for place, one in enumerate(ties) if at in one.rows))
        for at, row in enumerate(table.rows)
    )
    reasons = dict.fromkeys(one.untested for one in ties if one.untested)
    notes = tuple(f"{NOT_EVERY_TEST}: {reason}." for reason in reasons)
    return replace(table, rows=rows, notes=(*table.notes, *notes))


def column_ties(pivot: Pivot, parts: Sequence[RunParts], choice: PivotChoice) -> list[ColumnTies]:
    """Return the ties of each column, from the cache or computed."""
    if not is_tested(choice.figure):
        return [ColumnTies(frozenset(), NO_TEST)] * len(pivot.columns)
    states = states_of([part.run for part in parts])
    has_value = tuple(tuple(cell.value is not None for cell in line) for line in pivot.cells)
    return cached(("ties", *states.values(), choice, has_value), lambda: _column_ties(pivot, parts, choice))


def _column_ties(pivot: Pivot, parts: Sequence[RunParts], choice: PivotChoice) -> list[ColumnTies]:
    runs = {part.run.pk: part for part in parts}
    columns = [column for column in zip(*pivot.cells, strict=True) if _is_of_single_runs(column)]
    tested = {run for column in columns for cell in column if cell.value is not None for run in cell.runs}
    measured = measured_runs([part.run for run, part in runs.items() if run in tested], choice.figure, choice.answers)
    return [
        _ties([line[place] for line in pivot.cells], runs, measured, choice, _subsets_of(pivot, place, choice))
        for place in range(len(pivot.columns))
    ]


def _ties(
    cells: Sequence[PivotCell],
    parts: Mapping[int, RunParts],
    measured: Mapping[int, MeasuredRun],
    choice: PivotChoice,
    subsets: Sequence[str],
) -> ColumnTies:
    """Return the ties of one column. subsets: of each row's cell in the column."""
    defined = [at for at, cell in enumerate(cells) if cell.value is not None]
    if len(defined) < 2:
        return ColumnTies(frozenset())
    if not _is_of_single_runs(cells):
        return ColumnTies(frozenset(), SEVERAL_RUNS)
    runs = {at: parts[cells[at].runs[0]].run for at in defined}
    best, *others = sorted(defined, key=lambda at: -(cells[at].value or 0))
    members = members_of(subsets[best], choice)
    gaps = {at: gaps_between(measured[runs[best].pk], measured[runs[at].pk], members, choice.figure) for at in others}
    testable = {at: one for at, one in gaps.items() if one is not None and len(one.gaps)}
    tests = paired_differences(list(testable.values()))
    p_values = adjusted(holm_adjusted, tests)
    identical = {at for at, one in testable.items() if len(one.gaps) >= LEAST_IDENTICAL and not one.gaps.any()}
    alike = identical | {
        at
        for at, test, p in zip(testable, tests, p_values, strict=True)
        if p is not None and (p >= LEVEL_OF_TEST or (test.value or 0.0) <= 0)  # on common pairs, the best may be worse
    }
    tested = identical | {at for at, p in zip(testable, p_values, strict=True) if p is not None}
    return ColumnTies(frozenset(alike), "" if len(tested) == len(others) else OTHER_PAIRS)


def _is_of_single_runs(cells: Sequence[PivotCell]) -> bool:
    return all(len(cell.runs) == 1 for cell in cells if cell.value is not None)


def members_of(subset: str, choice: PivotChoice) -> frozenset[str] | None:
    """Return the subsets that a subset of a table stands for: itself, or those of a group. None: all contexts."""
    groups = {group.name: frozenset(group.subsets) for group in choice.answers.groups}
    return None if subset == ALL else groups.get(subset, frozenset([subset]))


def _subsets_of(pivot: Pivot, place: int, choice: PivotChoice) -> list[str]:
    """Return the subset of each cell of a column."""
    if SUBSET in pivot.column_dimensions:
        name = pivot.column_names[place][list(pivot.column_dimensions).index(SUBSET)]
        return [name] * len(pivot.rows)
    if SUBSET in pivot.row_dimensions:
        at = list(pivot.row_dimensions).index(SUBSET)
        return [names[at] for names in pivot.row_names]
    return [choice.subsets[0]] * len(pivot.rows)
