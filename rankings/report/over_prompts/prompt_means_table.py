"""`table_of_choice`: the table of a results page; over prompts, a row is the mean of runs that differ in the prompt."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from judging.models import Run
from rankings.report.over_prompts.prompt_means import mean_of_runs, prompt_groups
from rankings.report.report_row import ReportRow
from rankings.report.report_table import TableChoice, arranged, chosen_rows, plain_table, report_table, with_notes
from rankings.tables.table import Column, Row, Table

MEANS_NOTE = (
    "A row of several runs is the mean over their prompts, with the sample standard deviation (sd); n is their sum."
)


def table_of_choice(rows: Sequence[ReportRow], choice: TableChoice, *, runs: Sequence[Run]) -> Table:
    """Return the table of the chosen rows, or of their means over prompts. runs: as in `report_table`."""
    if not choice.over_prompts:
        return report_table(rows, choice, runs=runs)
    return arranged(_means_table(rows, choice, runs), choice)


def _means_table(rows: Sequence[ReportRow], choice: TableChoice, runs: Sequence[Run]) -> Table:
    of_runs, chosen = plain_table(rows, choice, runs=runs), chosen_rows(rows, choice)
    lines: dict[int, dict[str, Row]] = {}
    for row, line in zip(chosen, of_runs.rows[: len(chosen)], strict=True):
        lines.setdefault(row.name.run, {})[row.subset] = line
    groups = prompt_groups([run for run in runs if run.pk in lines])
    means = [
        _mean_row([lines[run.pk][subset] for run in group], group, of_runs)
        for group in groups
        for subset in lines[group[0].pk]
        if all(subset in lines[run.pk] for run in group)
    ]
    columns = tuple(_with_deviation(column) for column in of_runs.columns)
    table = replace(of_runs, columns=columns, rows=(*means, *of_runs.rows[len(chosen) :]), notes=())
    noted = with_notes(table, chosen, choice, runs=runs)
    notes = (MEANS_NOTE, *_without_a_second_prompt(lines, groups), *noted.notes)
    return replace(noted, notes=notes, elsewhere=("Run",))  # the details name the runs


def _mean_row(rows: Sequence[Row], group: Sequence[Run], table: Table) -> Row:
    """Return the mean of one row of each run of a group."""
    names = tuple(_joined([row.names[place] for row in rows]) for place in range(len(table.name_titles)))
    figures = tuple(
        _mean([row.figures[place] for row in rows], group, column) for place, column in enumerate(table.columns)
    )
    detail = f"runs {', '.join(str(run.pk) for run in group)}"
    return Row(names, figures, cell_rivals=_common_rivals(rows), detail=detail)


def _common_rivals(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the rivals of each figure that all rows share; "" where they differ."""
    cells = zip(*(row.cell_rivals for row in rows), strict=True)
    return tuple(rivals[0] if len(set(rivals)) == 1 else "" for rivals in cells)


def _joined(names: Sequence[str | int]) -> str | int:
    """Return the name that all rows share, or all of their names, each once."""
    distinct = list(dict.fromkeys(names))
    return distinct[0] if len(distinct) == 1 else ", ".join(map(str, distinct))


def _mean(figures: Sequence[Figure | None], group: Sequence[Run], column: Column) -> Figure | None:
    """Return the mean of a figure, or the sum of a count. Undefined if a run lacks a value; None if none has a cell."""
    present = [figure for figure in figures if figure is not None]
    if not present:
        return None
    if column.kind == "count" and all(figure.value is not None for figure in present):
        return Figure(sum(defined(figure.value) for figure in present))
    return mean_of_runs([(run.pk, one or Figure(None)) for run, one in zip(group, figures, strict=True)])


def _with_deviation(column: Column) -> Column:
    """Return the column with the standard deviation instead of the interval in spreadsheets."""
    if column.kind == "count":
        return column
    return replace(column, parts=("sd", *(part for part in column.parts if part not in ("low", "high"))))


def _without_a_second_prompt(lines: Mapping[int, Mapping[str, Row]], groups: Sequence[Sequence[Run]]) -> list[str]:
    """Return a note on the runs that are in no mean."""
    averaged = {run.pk for group in groups for run in group}
    alone = [str(run) for run in lines if run not in averaged]
    return [f"Not averaged, because no run differs in the prompt only: run {', run '.join(alone)}."] if alone else []
