"""`with_differences`: the cells of a table as differences to a row that the reader chose."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isclose

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from evenhand.numerics.significance.paired_tests import paired_differences
from rankings.record_states import states_of
from rankings.report.report_table import figure_notes
from rankings.report_cache import cached
from rankings.studies.headline import row_title
from rankings.studies.measured_runs import gaps_between, is_tested, measured_runs
from rankings.studies.pivots.best_cells import NOT_EVERY_TEST, members_of, rivals_of_cells, subset_of
from rankings.studies.pivots.pivot import pivot_of
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_source import RunParts
from rankings.studies.pivots.pivot_table import INTERVALS_NOTE, MEANS_AND_SD, NOT_COMPARED_NOTE
from rankings.tables.table import Row, Table

BASELINE = "baseline"
IS_BASELINE = "this row is the baseline"
NO_BASELINE = "the baseline has no value here"
PAIRED_NOTE = "Intervals: 95 %, paired by context."
UNPAIRED_NOTE = "Cells without an interval: differences of values; for intervals and tests see All runs compared."
ONLY_VALUES_NOTE = "Differences of values; for intervals and tests see All runs compared."

PairedDifferences = Mapping[tuple[str, str], Figure]
"""(row, column) -> the difference to the baseline on the same comparisons, with its interval."""


def paired_differences_to(baseline: str, parts: Sequence[RunParts], choice: PivotChoice) -> PairedDifferences:
    """Return the differences of cells of one run each that answered the comparisons of the baseline's cell.

    baseline: the name of a row.
    """
    if not is_tested(choice.figure):
        return {}
    states = states_of([part.run for part in parts])
    of_runs = tuple(part.run.status for part in parts)
    names = tuple(tuple(part.names.items()) for part in parts)
    key = ("baseline", *states.values(), choice, of_runs, names, baseline)
    return cached(key, lambda: _paired(baseline, parts, choice))


def _paired(baseline: str, parts: Sequence[RunParts], choice: PivotChoice) -> dict[tuple[str, str], Figure]:
    pivot = pivot_of(parts, choice)
    rivals = rivals_of_cells(pivot, parts, choice)
    at = list(pivot.rows).index(baseline)
    places = [
        (row, place)
        for row, line in enumerate(pivot.cells)
        for place, cell in enumerate(line)
        if row != at
        and rivals[row][place]
        and rivals[row][place] == rivals[at][place]
        and len(cell.runs) == len(pivot.cells[at][place].runs) == 1
    ]
    chosen = {run for row, place in places for line in (row, at) for run in pivot.cells[line][place].runs}
    measured = measured_runs([part.run for part in parts if part.run.pk in chosen], choice.figure, choice.answers)
    gaps = {}
    for row, place in places:
        [one], [other] = pivot.cells[row][place].runs, pivot.cells[at][place].runs
        members = members_of(subset_of(pivot, row, place, choice), choice)
        gaps[row, place] = gaps_between(measured[one], measured[other], members, choice.figure)
    known = {where: one for where, one in gaps.items() if one is not None and len(one.gaps)}
    found = {}
    for (row, place), paired in zip(known, paired_differences(list(known.values())), strict=True):
        cell, other_cell = pivot.cells[row][place], pivot.cells[at][place]
        difference = defined(cell.value) - defined(other_cell.value)
        if paired.value is not None and paired.low is not None and isclose(paired.value, difference, abs_tol=1e-9):
            found[pivot.rows[row], pivot.columns[place]] = Figure(paired.value, paired.low, paired.high, cell.n)
    return found


def with_differences(table: Table, baseline: str, paired: PairedDifferences) -> Table:
    """Return the table with the other rows as differences to the baseline, which stands on top.

    baseline: the name of a row; a table without this row stays as it is.
    """
    chosen = next((row for row in table.rows if row_title(row) == baseline), None)
    if chosen is None:
        return table
    others = tuple(_difference(row, chosen, table, paired) for row in table.rows if row is not chosen)
    columns = tuple(replace(column, marks_best=False, reference=0.0, is_difference=True) for column in table.columns)
    names = (baseline, *[""] * (len(table.name_titles) - 1))
    top = Row(
        names,
        tuple(Figure.missing(IS_BASELINE) for _ in chosen.figures),
        of="people",
        detail=BASELINE,
        href=chosen.href,
    )
    drawn = [figure for row in others for figure in row.figures if figure and figure.value is not None]
    notes = [f"Differences to {baseline}, in points where the figure is a share."]
    if any(figure.low is not None for figure in drawn):
        notes += [PAIRED_NOTE]
        notes += [UNPAIRED_NOTE] * _has_unpaired(others, table)
    else:
        notes += [ONLY_VALUES_NOTE]
    kept = (of_differences(note) for note in table.notes)
    table = replace(table, columns=columns, rows=(top, *others), notes=(*notes, *filter(None, kept)))
    return replace(table, figure_notes=tuple(figure_notes(table)))


def of_differences(note: str) -> str:
    """Return a note of a table as it holds for its differences; "" where it does not."""
    if note in (INTERVALS_NOTE, NOT_COMPARED_NOTE) or note.startswith((NOT_EVERY_TEST, "κ")):
        return ""
    return note.replace(MEANS_AND_SD, "Means", 1)


def _has_unpaired(rows: Sequence[Row], table: Table) -> bool:
    """Return True if a difference of judges has no interval."""
    places = [place for place, column in enumerate(table.columns) if column.kind != "count"]
    figures = [row.figures[place] for row in rows if row.of == "judge" for place in places]
    return any(figure is not None and figure.value is not None and figure.low is None for figure in figures)


def _difference(row: Row, baseline: Row, table: Table, paired: PairedDifferences) -> Row:
    name = row_title(row)
    figures = tuple(
        paired.get((name, column.name)) or _minus(one, other)
        for column, one, other in zip(table.columns, row.figures, baseline.figures, strict=True)
    )
    rivals = tuple(
        own if own == other else "" for own, other in zip(row.cell_rivals, baseline.cell_rivals, strict=False)
    )
    return replace(row, figures=figures, ties=frozenset(), untested=frozenset(), detail="", cell_rivals=rivals)


def _minus(one: Figure | None, other: Figure | None) -> Figure | None:
    if one is None:
        return None
    if one.value is None:
        return Figure.missing(one.undefined or "", n=one.n)
    if other is None or other.value is None:
        return Figure.missing(NO_BASELINE)
    return Figure(one.value - other.value, n=one.n)
