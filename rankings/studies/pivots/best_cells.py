"""`with_tie_marks`: marks cells not significantly worse than the best of their column, of those that compare."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evenhand.numerics.significance.families import adjusted_in_family, is_not_worse, is_untested
from evenhand.numerics.significance.paired_tests import paired_differences
from judging.models import Run
from rankings.record_states import states_of
from rankings.report.report_choice import ALL, SUBSET
from rankings.report.trust_checks import few_contexts, is_constant
from rankings.report_cache import cached
from rankings.studies.measured_runs import MeasuredRun, gaps_between, is_tested, measured_runs
from rankings.studies.pivots.pivot import Pivot, PivotCell
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import pivot_figure
from rankings.studies.pivots.pivot_source import RunParts
from rankings.tables.table import Table

COMPARED_WITHIN = ("dataset", "attribute", SUBSET)
"""The dimensions in which cells may not differ if their figures are compared."""
WITHOUT_INTERVAL = ("human", "order_agreement", "flip_rate", "threshold", "alpha")
"""Figures that never have an interval, as correlations over all candidates pooled."""


def rivals_of_cells(pivot: Pivot, parts: Sequence[RunParts], choice: PivotChoice) -> list[tuple[str, ...]]:
    """Return the rivals of each cell of each row, as in `Row.cell_rivals`; "" for a cell that is not compared."""
    of_runs = {part.run.pk: part for part in parts if ALL not in part.rows or not is_constant(part.rows[ALL])}
    has_intervals = not (pivot.figure in WITHOUT_INTERVAL or pivot.level == "pooled")
    return [
        tuple(
            _rivals(cell, of_runs, subset_of(pivot, row, place, choice), needs_interval=has_intervals)
            for place, cell in enumerate(line)
        )
        for row, line in enumerate(pivot.cells)
    ]


def groups_of_cells(pivot: Pivot, rivals: Sequence[Sequence[str]]) -> list[Pivot]:
    """Return the table once for each group of rivals of a column, with the values of that group alone.

    Returns one table without values where no cell is compared.
    """
    of_columns = [list(dict.fromkeys(filter(None, column))) for column in zip(*rivals, strict=True)]
    return [
        replace(
            pivot,
            cells=[
                [
                    cell if own and names.index(own) == group else replace(cell, value=None)
                    for cell, own, names in zip(line, of_row, of_columns, strict=True)
                ]
                for line, of_row in zip(pivot.cells, rivals, strict=True)
            ],
        )
        for group in range(max(map(len, of_columns), default=0) or 1)
    ]


def subset_of(pivot: Pivot, row: int, place: int, choice: PivotChoice) -> str:
    """Return the subset of a cell."""
    if SUBSET in pivot.column_dimensions:
        return pivot.column_names[place][list(pivot.column_dimensions).index(SUBSET)]
    if SUBSET in pivot.row_dimensions:
        return pivot.row_names[row][list(pivot.row_dimensions).index(SUBSET)]
    return choice.subsets[0]


def unfinished_of(parts: Sequence[RunParts]) -> int:
    """Return the number of unfinished runs."""
    return sum(not _is_finished(part.run) for part in parts)


def _rivals(cell: PivotCell, parts: Mapping[int, RunParts], subset: str, *, needs_interval: bool) -> str:
    own = [parts[run].run for run in cell.runs if run in parts and _is_enough(parts[run], subset)]
    if cell.value is None or len(own) < len(cell.runs) or (needs_interval and not _has_spread(cell)):
        return ""
    questions = sorted({f"{run.dataset_id} {run.attribute_id}" for run in own})
    return ", ".join([*questions, subset])


def _is_enough(part: RunParts, subset: str) -> bool:
    return _is_finished(part.run) and not (subset in part.rows and few_contexts(part.rows[subset]))


def _is_finished(run: Run) -> bool:
    return run.status == Run.Status.DONE


def _has_spread(cell: PivotCell) -> bool:
    """Return True for a cell with an interval, or with a standard deviation over runs."""
    return cell.low is not None or cell.sd is not None


NOT_EVERY_TEST = "Not every difference to the best is tested"
SEVERAL_RUNS = "cells of several runs are not tested"
NO_TEST = "differences of this figure are not tested"
OTHER_PAIRS = "runs with other comparisons are not tested"
MOST_UNTESTED_NAMED = 3
"""A note names up to this many rows that are not tested."""


@dataclass(frozen=True)
class ColumnTies:
    """The rows of a column that are not significantly worse than the best, without the best.

    untested: row -> why its difference to the best is not tested. why: why no difference is tested; "" if some is.
    """

    rows: frozenset[int] = frozenset()
    untested: Mapping[int, str] = field(default_factory=dict)
    why: str = ""


def with_tie_marks(table: Table, pivot: Pivot, parts: Sequence[RunParts], choice: PivotChoice) -> Table:
    """Return the table with ties among the cells that are compared, and with notes on the rows that are not tested."""
    if not pivot_figure(choice.figure).higher_is_better:
        return table
    groups = groups_of_cells(pivot, [row.cell_rivals for row in table.rows])
    ties = [one for group in groups for one in enumerate(column_ties(group, parts, choice))]
    rows = tuple(
        replace(
            row,
            ties=frozenset(place for place, one in ties if at in one.rows),
            untested=frozenset(place for place, one in ties if at in one.untested),
        )
        for at, row in enumerate(table.rows)
    )
    return replace(table, rows=rows, notes=(*table.notes, *_notes_on_untested(pivot, [one for _, one in ties])))


def _notes_on_untested(pivot: Pivot, ties: Sequence[ColumnTies]) -> Iterator[str]:
    """Yield each reason why rows are not tested against the best of a column, with these rows."""
    yield from dict.fromkeys(f"{NOT_EVERY_TEST}: {one.why}." for one in ties if one.why)
    rows: dict[str, dict[str, None]] = {}
    for one in ties:
        for at, reason in one.untested.items():
            rows.setdefault(reason, {})[pivot.rows[at]] = None
    for reason, names in rows.items():
        listed = ", ".join(names) if len(names) <= MOST_UNTESTED_NAMED else f"{len(names)} rows"
        yield f"{NOT_EVERY_TEST}: {reason} ({listed})."


def column_ties(pivot: Pivot, parts: Sequence[RunParts], choice: PivotChoice) -> list[ColumnTies]:
    """Return the ties of each column, from the cache or computed."""
    if not is_tested(choice.figure):
        return [ColumnTies(why=NO_TEST)] * len(pivot.columns)
    states = states_of([part.run for part in parts])
    has_value = tuple(tuple(cell.value is not None for cell in line) for line in pivot.cells)
    return cached(("ties", *states.values(), choice, has_value), lambda: _column_ties(pivot, parts, choice))


def _column_ties(pivot: Pivot, parts: Sequence[RunParts], choice: PivotChoice) -> list[ColumnTies]:
    runs = {part.run.pk: part for part in parts}
    columns = [column for column in zip(*pivot.cells, strict=True) if _is_of_single_runs(column)]
    tested = {run for column in columns for cell in column if cell.value is not None for run in cell.runs}
    measured = measured_runs([part.run for run, part in runs.items() if run in tested], choice.figure, choice.answers)
    return [_ties(pivot, place, runs, measured, choice) for place in range(len(pivot.columns))]


def _ties(
    pivot: Pivot, place: int, parts: Mapping[int, RunParts], measured: Mapping[int, MeasuredRun], choice: PivotChoice
) -> ColumnTies:
    """Return the ties of one column."""
    cells = [line[place] for line in pivot.cells]
    defined = [at for at, cell in enumerate(cells) if cell.value is not None]
    if len(defined) < 2:
        return ColumnTies()
    if not _is_of_single_runs(cells):
        return ColumnTies(why=SEVERAL_RUNS)
    runs = {at: parts[cells[at].runs[0]].run for at in defined}
    best, *others = sorted(defined, key=lambda at: -(cells[at].value or 0))
    members = members_of(subset_of(pivot, best, place, choice), choice)
    gaps = {at: gaps_between(measured[runs[best].pk], measured[runs[at].pk], members, choice.figure) for at in others}
    testable = {at: one for at, one in gaps.items() if one is not None and len(one.gaps)}
    tests = dict(zip(testable, adjusted_in_family(paired_differences(list(testable.values()))), strict=True))
    untested = {at: tests[at].undefined or "" for at in tests if is_untested(tests[at])}
    untested |= dict.fromkeys(set(others) - set(tests), OTHER_PAIRS)
    return ColumnTies(frozenset(at for at, test in tests.items() if is_not_worse(test)), untested)


def _is_of_single_runs(cells: Sequence[PivotCell]) -> bool:
    return all(len(cell.runs) == 1 for cell in cells if cell.value is not None)


def members_of(subset: str, choice: PivotChoice) -> frozenset[str] | None:
    """Return the subsets that a subset of a table stands for: itself, or those of a group. None: all contexts."""
    groups = {group.name: frozenset(group.subsets) for group in choice.answers.groups}
    return None if subset == ALL else groups.get(subset, frozenset([subset]))
