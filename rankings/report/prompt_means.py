"""Means of figures, and of rows of tables, over runs that differ in the prompt only, as in [Liusie2024]."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from statistics import fmean, stdev
from typing import Any

from evenhand.csv_text import csv_lines
from evenhand.numerics import Figure, MeanFigure
from evenhand.numerics.figure import defined
from judging.models import Run
from judging.models.runs import sha256_of
from rankings.report.long_lines import report_long_form
from rankings.report.report_row import ReportRow
from rankings.report.report_table import TableChoice, arranged, chosen_rows, plain_table, report_table, with_notes
from rankings.tables.long_form import Line, LongForm
from rankings.tables.table import Column, Row, Table

PROMPT_PARTS = ("prompt", "recorded")
"""Parts of a run's spec that may differ: its prompt, and the files of a recorded run."""


_MOST_NAMED = 3
"""A reason names up to this many runs."""
RunFigure = tuple[int, Figure]


@dataclass(frozen=True)
class PromptMean:
    """The mean of one figure over prompts.

    runs, prompts: those averaged. figure, variant: as in the long form. value: the mean; null if a run has no value.
    sd: sample standard deviation over the prompts. n: sum of the runs' numbers of observations.
    undefined: why there is no value.
    """

    judge: str
    method: str
    attribute: str
    subset: str
    prompts: Sequence[str]
    runs: Sequence[int]
    figure: str
    variant: str | None
    value: float | None
    sd: float | None
    n: int | None
    undefined: str | None


def means_over_prompts(runs: Sequence[Run], rows: Sequence[ReportRow]) -> list[PromptMean]:
    """Return the means of every figure that all runs of a group have. Runs that no other matches are left out."""
    lines: dict[int, dict[tuple[Any, ...], Line]] = {}
    for line in report_long_form(rows).lines:
        name = (line["subset"], line["figure"], line["variant"])
        lines.setdefault(int(str(line["run"])), {})[name] = line
    return [mean for group in prompt_groups(runs) for mean in _means(group, [lines.get(run.pk, {}) for run in group])]


def means_long_form(means: Sequence[PromptMean]) -> LongForm:
    """Return the means as a long form, with the numbers of their runs and the standard deviation."""
    return LongForm(lambda: map(_long_line, means), ("runs", "sd"))


def _long_line(mean: PromptMean) -> Line:
    cells = _cells(mean)
    cells["prompt"] = cells.pop("prompts")
    return cells


def _cells(mean: PromptMean) -> dict[str, Any]:
    return vars(mean) | {"prompts": "; ".join(mean.prompts), "runs": "; ".join(map(str, mean.runs))}


def means_csv(means: Sequence[PromptMean]) -> str:
    """Write the means as CSV, one per line."""
    return "".join(csv_lines(map(_cells, means), columns=[field.name for field in fields(PromptMean)]))


def prompt_groups(runs: Sequence[Run]) -> list[list[Run]]:
    """Group the runs that differ in the prompt only, with at least two prompts. The latest run of a prompt counts."""
    groups: dict[tuple[object, ...], dict[str, Run]] = {}
    for run in sorted(runs, key=lambda one: one.pk):
        rest = sha256_of({name: value for name, value in run.spec.items() if name not in PROMPT_PARTS})
        groups.setdefault((run.judge_id, run.attribute_id, run.method, rest), {})[run.prompt_name] = run
    return [list(group.values()) for group in groups.values() if len(group) > 1]


def _means(group: Sequence[Run], figures: Sequence[Mapping[tuple[Any, ...], Line]]) -> Iterator[PromptMean]:
    first, *others = figures
    for name in first:
        if all(name in other for other in others):
            yield _mean(group, name, [one[name] for one in figures])


def _mean(group: Sequence[Run], name: tuple[Any, ...], lines: Sequence[Line]) -> PromptMean:
    subset, figure, variant = name
    mean = mean_of_runs([(run.pk, _figure(line)) for run, line in zip(group, lines, strict=True)])
    return PromptMean(
        judge=group[0].judge.name,
        method=group[0].method,
        attribute=group[0].attribute.name,
        subset=subset,
        prompts=[run.prompt_name for run in group],
        runs=[run.pk for run in group],
        figure=figure,
        variant=variant,
        value=mean.value,
        sd=mean.sd,
        n=mean.n,
        undefined=mean.undefined,
    )


def _figure(line: Line) -> Figure:
    value, n, undefined = (line[name] for name in ("value", "n", "undefined"))
    return Figure(value, n=n, undefined=undefined)  # type: ignore[arg-type]  # the types of a line are wider


def mean_of_runs(figures: Sequence[RunFigure]) -> MeanFigure:
    """Return the mean of a figure of several runs, its standard deviation, and the sum of n.

    It is undefined if a run lacks a value.
    """
    values = [figure.value for _, figure in figures if figure.value is not None]
    numbers = [figure.n for _, figure in figures if figure.n is not None]
    n = sum(numbers) if numbers and len(numbers) == len(figures) else None
    if not values or len(values) < len(figures):
        missing = [(run, figure.undefined or "no value") for run, figure in figures if figure.value is None]
        return MeanFigure(None, n=n, undefined=_why_undefined(missing, len(figures)))
    return MeanFigure(fmean(values), n=n, sd=stdev(values))


def _why_undefined(missing: Sequence[tuple[int, str]], n_runs: int) -> str:
    """Write each reason once, with its runs where other runs have a value or another reason."""
    runs: dict[str, list[int]] = {}
    for run, reason in missing:
        runs.setdefault(reason, []).append(run)
    return "; ".join(
        reason if len(of_reason) == n_runs else f"{reason} ({_named(of_reason, n_runs)})"
        for reason, of_reason in runs.items()
    )


def _named(runs: Sequence[int], n_runs: int) -> str:
    """Write which of some runs: their numbers, or how many where these are many."""
    if len(runs) > _MOST_NAMED:
        return f"{len(runs)} of {n_runs} runs"
    return f"run{'s' * (len(runs) > 1)} {', '.join(map(str, runs))}"


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
        _mean_cell([row.figures[place] for row in rows], group, column) for place, column in enumerate(table.columns)
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


def _mean_cell(figures: Sequence[Figure | None], group: Sequence[Run], column: Column) -> Figure | None:
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
