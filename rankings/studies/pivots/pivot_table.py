"""`pivot_table`: a pivot table as a table of figures, which pages, commands and the HTTP API write alike."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from evenhand.numerics import MeanFigure
from evenhand.numerics.correlation.coefficients import Level
from rankings.report.printed_numbers import ranking_title
from rankings.report.report_table import DEMO_WARNING, choice_notes, figure_notes, notes_on_unasked_subsets
from rankings.report.trust_checks import constant_sentences, failed_check_notes, weak_point_notes
from rankings.studies.dimensions import NAME_OF_RUN
from rankings.studies.pivots.best_cells import rivals_of_cells, with_tie_marks
from rankings.studies.pivots.pivot import Pivot, PivotCell, pivot_of
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import PivotFigure, pivot_figure
from rankings.studies.pivots.pivot_source import RunParts
from rankings.tables.figure_table import PAGE_STYLE
from rankings.tables.table import Column, Row, Table, TableStyle, WithKappa

LEVEL_TITLES: dict[Level, str] = {
    "per_context": "mean over contexts",
    "pooled": "over all candidates pooled",
    "system": "between systems",
}
DIMENSION_TITLES = {
    "dataset": "Dataset",
    "attribute": "Attribute",
    "judge": "Judge",
    "method": "Method",
    "prompt": "Prompt",
    "selection": "Selection",
    "seed": "Seed",
    "subset": "Subset",
}
OTHER_SETTINGS = "settings"
NOT_COMPARED_NOTE = (
    "Unfinished runs, judges with one answer, fewer than ten contexts and figures without an interval are not compared."
)
MEANS_AND_SD = "Means, with the standard deviation (sd),"
INTERVALS_NOTE = "Intervals: 95 %, over contexts."
KAPPA_NOTE = "κ: Cohen’s kappa with people, agreement beyond chance."


def pivot_table(parts: Sequence[RunParts], choice: PivotChoice) -> Table:
    """Return the pivot table of report rows as a table of figures, with notes."""
    pivot, figure = pivot_of(parts, choice), pivot_figure(choice.figure)
    has_means = any(cell.sd is not None for line in pivot.cells for cell in line)
    numbers = () if figure.kind == "count" else ("low", "high", "n")
    kappas = _kappas(parts, choice)
    columns = tuple(
        Column(
            name=name,
            title=name,
            kind=figure.kind,
            marks_best=figure.higher_is_better,
            parts=(*numbers, *(["sd"] if has_means else []), *(["kappa"] if kappas else [])),
        )
        for name in pivot.columns
    )
    rivals = rivals_of_cells(pivot, parts, choice)
    rows = tuple(
        Row(
            tuple(names),
            tuple(map(table_figure, line, kappas[at] if kappas else [None] * len(line))),
            cell_rivals=of_row,
        )
        for at, (names, line, of_row) in enumerate(zip(pivot.row_names, pivot.cells, rivals, strict=True))
    )
    titles = tuple(DIMENSION_TITLES[name] for name in pivot.row_dimensions)
    table = Table(titles, columns, rows)
    notes = (figure_title(figure, choice), *[KAPPA_NOTE] * bool(kappas), *_notes(table, pivot, parts))
    table = replace(table, notes=notes, figure_notes=tuple(figure_notes(table)), heads=tuple(_heads(parts)))
    return with_tie_marks(table, pivot, parts, choice)


def _heads(parts: Sequence[RunParts]) -> Iterator[str]:
    """Yield what a reader must know first: a demo judge, and judges whose decisions carry nothing."""
    if any(part.run.is_demo for part in parts):
        yield DEMO_WARNING
    yield from constant_sentences([row for part in parts for row in part.rows.values()])


def _kappas(parts: Sequence[RunParts], choice: PivotChoice) -> Sequence[Sequence[PivotCell]]:
    """Return kappa with people in the place of each accuracy; nothing for a table of another figure."""
    if pivot_figure(choice.figure).name != "accuracy":
        return ()
    return pivot_of(parts, replace(choice, figure=replace(choice.figure, name="kappa"))).cells


def table_figure(cell: PivotCell, kappa: PivotCell | None) -> MeanFigure:
    """Return the figure of a cell, undefined for a cell without runs. kappa: beside an accuracy."""
    own = kappa.value if kappa else None
    return WithKappa(cell.value, cell.low, cell.high, cell.n, cell.undefined, cell.sd, own)


def figure_title(figure: PivotFigure, choice: PivotChoice) -> str:
    """Name the figure of a table, with its ranking, level, debiasing and limits, as a sentence."""
    return f"{', '.join([chosen_figure(figure, choice), *(name for _, name in choice.only)])}."


def chosen_figure(figure: PivotFigure, choice: PivotChoice) -> str:
    """Name a figure with its ranking, level and debiasing."""
    if not figure.is_ranked:
        return figure.title
    kind = "debiased" if choice.figure.debiased else "raw"
    return f"{figure.title} ({ranking_title(choice.figure.ranking)}, {LEVEL_TITLES[choice.figure.level]}, {kind})"


def averaged_dimensions(pivot: Pivot, parts: Sequence[RunParts]) -> list[str]:
    """Return the dimensions over which cells average; `settings` where runs of a cell differ in nothing else."""
    by_run = {part.run.pk: part for part in parts}
    cells = [[by_run[run] for run in cell.runs] for line in pivot.cells for cell in line if len(cell.runs) > 1]
    differing = [name for name in NAME_OF_RUN if any(len({part.names[name] for part in cell}) > 1 for cell in cells)]
    alike = any(len({tuple(part.names.values()) for part in cell}) < len(cell) for cell in cells)
    return [*differing, *([OTHER_SETTINGS] if alike else [])]


def _notes(table: Table, pivot: Pivot, parts: Sequence[RunParts]) -> Iterator[str]:
    """Yield the notes below the table."""
    figures = [figure for row in table.rows for figure in row.figures if figure]
    if any(figure.low is not None for figure in figures):
        yield INTERVALS_NOTE
    if any(
        column.marks_best and not row.rivals_at(place) and (figure := row.figures[place]) and figure.value is not None
        for row in table.rows
        for place, column in enumerate(table.columns)
    ):
        yield NOT_COMPARED_NOTE
    if averaged := averaged_dimensions(pivot, parts):
        runs = [len(cell.runs) for line in pivot.cells for cell in line if len(cell.runs) > 1]
        numbers = f"{min(runs)}" if min(runs) == max(runs) else f"{min(runs)} to {max(runs)}"
        yield f"{MEANS_AND_SD} over {numbers} runs, which differ in: {', '.join(averaged)}. n is summed."
    rows = [row for part in parts for row in part.rows.values()]
    yield from weak_point_notes(rows)
    yield from failed_check_notes(rows)
    yield from choice_notes(rows)
    yield from notes_on_unasked_subsets(rows)
    if rows and not any(row.unparsed_as for row in rows):
        yield "Unparsed answers and errors are excluded."


BRACKETS = TableStyle(interval="brackets")
"""Intervals in brackets, where other cells of the table have a standard deviation."""


def style_of_page(pivot: Pivot) -> TableStyle:
    """Return the style in which pages and frozen reports draw a pivot table."""
    has_means = any(cell.sd is not None for line in pivot.cells for cell in line)
    return BRACKETS if has_means else PAGE_STYLE
