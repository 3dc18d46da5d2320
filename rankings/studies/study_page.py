"""The table on a study's page: a pivot table with sections, links, rows for comparison, and costs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.text import slugify

from evenhand.numerics import Figure
from evenhand.options import Option, options_of
from judging.models import Study
from rankings.report.answer_options import chosen_style
from rankings.report.figures.simple_judges import PEOPLE
from rankings.studies.people_and_simple_judges import reference_rows
from rankings.studies.pivots.baseline_differences import paired_differences_to, with_differences
from rankings.studies.pivots.pivot import NO_RUN, Pivot, pivot_of
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import pivot_figure
from rankings.studies.pivots.pivot_source import RunParts
from rankings.studies.pivots.pivot_table import figure_title, pivot_table, style_of_page
from rankings.studies.study_choice import study_choice
from rankings.tables.sorting import Sort, figure_key, sort_name, sorted_table
from rankings.tables.table import Column, Row, Table, TableStyle

NOTE_ON_PEOPLE = "People: on the contexts of these runs."
MINUTES = Column(name="minutes", title="Minutes", group="Cost", kind="count", parts=())
PROMPT_TOKENS = Column(name="prompt_tokens", title="Prompt tokens", group="Cost", kind="count", parts=())


@dataclass(frozen=True, slots=True)
class DrawnTable:
    """A table of a study as its page and files have it. sort: its order. style: of the page. baseline: see below."""

    table: Table
    sort: Sort
    style: TableStyle
    baseline: str = ""


def study_table(
    parts: Sequence[RunParts],
    choice: PivotChoice,
    *,
    sort: str = "",
    has_references: bool = True,
    baseline: str = "",
) -> DrawnTable:
    """Return the table of a study: sorted within its sections, with the rows for comparison below.

    baseline: the row to which the others are differences; "" for none.
    """
    pivot = pivot_of(parts, choice)
    table = pivot_table(parts, choice)
    untitled = replace(table, notes=table.notes[1:])  # controls and captions name the figure already
    table = _with_links(untitled, pivot, parts)
    table = _with_column_groups(with_sections(_with_costs(table, pivot, parts)), pivot)
    order = sort_of(table, sort)
    table = in_order_of_sections(sorted_table(with_savings(table, order), order), order)
    table = with_references(table, parts, choice) if has_references else table
    if baseline:
        table = with_differences(table, baseline, paired_differences_to(baseline, parts, choice))
    return DrawnTable(table, order, style_of_page(pivot), baseline)


def with_references(table: Table, parts: Sequence[RunParts], choice: PivotChoice) -> Table:
    """Add the rows for comparison below all others: people, and simple judges."""
    rows = reference_rows(pivot_of(parts, choice), parts, choice, like=table)
    notes = [NOTE_ON_PEOPLE] * any(row.names[0] == PEOPLE for row in rows)
    return replace(table, rows=(*table.rows, *rows), notes=(*table.notes, *notes))


def in_order_of_sections(table: Table, sort: Sort) -> Table:
    """Return the table with the section of the best figure first; rows that are not compared put none first."""
    places = [column.name for column in table.columns]
    if sort.name not in places:
        return table
    place = places.index(sort.name)
    best: dict[str, tuple[bool, bool, float]] = {}
    for row in table.rows:
        is_apart = table.columns[place].marks_best and not row.rivals_at(place)
        key = figure_key(row.figures[place], sort, is_apart=is_apart)
        best[row.section] = min(best.get(row.section, key), key)
    order = sorted(best, key=lambda section: (section != "", best[section]))
    return replace(table, rows=tuple(sorted(table.rows, key=lambda row: order.index(row.section))))


def sort_of(table: Table, chosen: str) -> Sort:
    """Return the order of the rows. Default, and for a column that the table lacks: the best of the first column."""
    sort = Sort.parse(chosen)
    names = [*(column.name for column in table.columns), *map(sort_name, table.name_titles)]
    return sort if sort.name in names else Sort.parse(_usual_sort(table))


def _usual_sort(table: Table) -> str:
    """Return the first column with a value that marks the best; "" without one."""
    drawn = [
        column.name
        for place, column in enumerate(table.columns)
        if column.marks_best and any((one := row.figures[place]) and one.value is not None for row in table.rows)
    ]
    return drawn[0] if drawn else ""


def why_empty(table: Table) -> list[str]:
    """Return the reasons of a table without any value; none for other tables."""
    figures = [figure for row in table.rows for figure in row.figures if figure]
    if any(figure.value is not None for figure in figures):
        return []
    reasons = dict.fromkeys(figure.undefined or "" for figure in figures)
    return [reason for reason in reasons if reason != NO_RUN] or [*reasons]


def with_savings(table: Table, sort: Sort) -> Table:
    """Remark on rows that are not significantly worse than the best by the sorting column, and took less time.

    The best is that of the rows with which they are compared.
    """
    names = [column.name for column in table.columns]
    if sort.name not in names or MINUTES.name not in names:
        return table
    place, cost = names.index(sort.name), names.index(MINUTES.name)
    best: dict[str, Row] = {}
    for row in sorted(table.rows, key=lambda row: figure_key(row.figures[place], sort), reverse=True):
        best[row.rivals_at(place)] = row
    rows = (
        replace(row, detail=_saving(row, best[row.rivals_at(place)], cost)) if place in row.ties else row
        for row in table.rows
    )
    return replace(table, rows=tuple(rows))


def _saving(row: Row, best: Row, cost: int) -> str:
    """Write how much less time a row took than the best; "" if it took no less."""
    mine, other = (figure.value if (figure := one.figures[cost]) else None for one in (row, best))
    if not mine or not other or mine >= other:
        return row.detail
    return f"not worse, {1 - mine / other:.0%} less time".replace("%", "\u202f%")


def _with_links(table: Table, pivot: Pivot, parts: Sequence[RunParts]) -> Table:
    """Link each cell of one run to its answers, and each row of one run to its results."""
    scoring = {part.run.pk for part in parts if part.run.is_scoring}
    rows = []
    for row, line in zip(table.rows, pivot.cells, strict=True):
        runs = {run for cell in line for run in cell.runs}
        rows.append(
            replace(
                row,
                href=reverse("run-results", args=[min(runs)]) if len(runs) == 1 else "",
                cell_hrefs=tuple(_answers(cell.runs, scoring) for cell in line),
            )
        )
    return replace(table, rows=tuple(rows))


def _answers(runs: Sequence[int], scoring: set[int]) -> str:
    """Return the address of the answers behind a cell of one run; "" for other cells."""
    if len(runs) != 1:
        return ""
    return reverse("run-results" if runs[0] in scoring else "run-answers", args=[runs[0]])


def with_sections(table: Table) -> Table:
    """Put rows with the same first name below it, where rows have several names."""
    names = [str(row.names[0]) for row in table.rows]
    if len(table.name_titles) < 2 or not 1 < len(set(names)) < len(names):
        return table
    rows = (replace(row, section=str(row.names[0])) if row.of == "judge" else row for row in table.rows)
    return replace(table, rows=tuple(rows), elsewhere=table.name_titles[:1])


def _with_column_groups(table: Table, pivot: Pivot) -> Table:
    """Put columns with the same first name below it, where columns have several names."""
    if len(pivot.column_dimensions) < 2:
        return table
    names = {name: tuple(parts) for name, parts in zip(pivot.columns, pivot.column_names, strict=True)}
    columns = (
        replace(column, group=names[column.name][0], title=" · ".join(names[column.name][1:]))
        if column.name in names
        else column
        for column in table.columns
    )
    return replace(table, columns=tuple(columns))


def _with_costs(table: Table, pivot: Pivot, parts: Sequence[RunParts]) -> Table:
    """Add the minutes and prompt tokens of each row's runs, where some run was judged here."""
    runs = {part.run.pk: part.run for part in parts}
    costs: list[tuple[Figure | None, Figure | None]] = []
    for line in pivot.cells:
        of_row = [runs[run] for run in {run for cell in line for run in cell.runs}]
        minutes, tokens = sum(run.seconds for run in of_row) / 60, sum(run.prompt_tokens for run in of_row)
        costs.append((Figure(minutes) if minutes else None, Figure(tokens) if tokens else None))
    if not any(one for two in costs for one in two):
        return table
    rows = tuple(
        replace(
            row,
            figures=(*row.figures, *two),
            cell_hrefs=(*row.cell_hrefs, "", "") if row.cell_hrefs else (),
            cell_rivals=(*row.cell_rivals, "", ""),
        )
        for row, two in zip(table.rows, costs, strict=True)
    )
    return replace(table, columns=(*table.columns, MINUTES, PROMPT_TOKENS), rows=rows)


def study_style(study: Study, choice: PivotChoice, baseline: str = "") -> TableStyle:
    """Return the looks of a table whose author gives none: its caption and label name study and figure."""
    figure = pivot_figure(choice.figure)
    name = f"{study.name}, differences to {baseline}" if baseline else study.name
    label = slugify(f"{study.name} {figure.name}")
    return TableStyle(caption=f"{name}: {figure_title(figure, choice)}", label=f"tab:{label}")


REFERENCES = Option("Rows of people and simple judges in files but CSV.", name="references", kind=bool, default=True)
LOOKS = (REFERENCES, *options_of(chosen_style))
STUDY_OPTIONS = (*options_of(study_choice), *LOOKS)
