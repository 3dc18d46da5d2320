"""Runs of a dataset side by side, for its results page. Computes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankings.charts.dot_chart import dot_of, dots_chart
from rankings.charts.plotly_chart import Chart
from rankings.numerics import Figure
from rankings.report import trust_checks
from rankings.report.report_row import ReportRow, TrustCheck
from rankings.tables.table import Column, Mark, Table, TableStyle, printed_cells


@dataclass(frozen=True, slots=True)
class PageCell:
    """A figure in the table of the page. figure: None for an empty cell."""

    column: Column
    figure: Figure | None
    mark: Mark


@dataclass(frozen=True, slots=True)
class ReportLine:
    """A line of the table of the page. row: None for people.

    starts_run: the first line of its run, which names it. attribute: for people.
    name, detail: the chosen names of a run in two lines.
    partial: the state of an unfinished run. checks: how many trust checks of a run passed. failed: those that did not.
    """

    row: ReportRow | None
    starts_run: bool
    attribute: str
    name: str
    detail: str
    cells: list[PageCell]
    partial: str
    checks: str
    failed: Sequence[TrustCheck]


def lines_of(table: Table, rows: Sequence[ReportRow], partial: Mapping[int, str]) -> list[ReportLine]:
    """Return the lines of the page. rows: of the runs in the table. partial: run -> its state, if unfinished."""
    n_people = len(table.rows) - len(rows)
    runs = [None if row is None else row.name.run for row in (*[None] * n_people, *rows)]
    lines = []
    for at, printed in enumerate(printed_cells(table, TableStyle())):
        row = rows[at - n_people] if at >= n_people else None
        starts_run = at == 0 or runs[at] != runs[at - 1]
        is_run = row is not None and row.is_whole
        cells = map(PageCell, table.columns, table.rows[at].figures, (cell.mark for cell in printed))
        texts = dict(zip(table.name_titles, map(str, table.rows[at].names), strict=True))
        lines.append(
            ReportLine(
                row,
                starts_run,
                texts.get("Attribute", ""),
                name=_joined(texts, ("Judge", "Attribute") if starts_run else ("Attribute",)),
                detail=_joined(texts, ("Method", "Prompt")) + row.name.settings if row and starts_run else "",
                cells=list(cells),
                partial=partial.get(row.name.run, "") if row and is_run else "",
                checks=trust_checks.summary(row) if row and is_run else "",
                failed=trust_checks.failed(row) if row and is_run else (),
            )
        )
    return lines


def _joined(texts: Mapping[str, str], titles: Sequence[str]) -> str:
    return ", ".join(texts[title] for title in titles if texts.get(title))


def people(rows: Sequence[ReportRow]) -> dict[str, Figure]:
    """Return attribute -> agreement between people, on the contexts of the run with the most votes."""
    best: dict[str, Figure] = {}
    for row in rows:
        known = best.get(row.name.attribute)
        if known is None or (row.human.n or 0) > (known.n or 0):
            best[row.name.attribute] = row.human
    return best


def accuracy_chart(rows: Sequence[ReportRow]) -> Chart | None:
    """Draw each run's accuracy with its interval, and a line at human agreement. None without an accuracy."""
    measured = [row for row in rows if row.accuracy.value is not None]
    human = {row.human.value for row in measured}
    return dots_chart(
        [
            dot_of(
                row.accuracy,
                name=f"{row.name.judge}, {row.name.prompt}, {row.name.attribute} (run {row.name.run})",
                short=f"run {row.name.run}",
            )
            for row in measured
        ],
        name="accuracy",
        title="Accuracy against people",
        people=human.pop() if len(human) == 1 else None,
    )
