"""Which cells of a pivot table can be compared: of finished runs of one question on ten contexts or more."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from judging.models import Run
from rankings.report.report_choice import ALL, SUBSET
from rankings.report.trust_checks import few_contexts, is_constant
from rankings.studies.pivots.pivot import Pivot, PivotCell
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_source import RunParts

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
