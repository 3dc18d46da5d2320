"""Runs of a dataset side by side, for its results page. Computes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.urls import reverse

from rankings.charts.dot_chart import Dot, dots_chart
from rankings.charts.plotly_chart import Chart
from rankings.report import trust_checks
from rankings.report.pages.run_page import by_reason
from rankings.report.report_choice import ALL
from rankings.report.report_row import ReportRow
from rankings.report.rows_for_comparison import missing_for_comparison
from rankings.report.run_figures import SCORE
from rankings.tables.table import Column, Row, Table

USUAL_SORT = "accuracy"
COMPARISON_NOTE = (
    "For comparison: one person against the majority of the others, and two judges that read nothing. "
    "They have no mark and are in no test."
)
IN_SECTIONS = ("Attribute", "Subset")
RUN_TITLE = "Run"
ANSWERS_BEHIND = {"answers": "", "accuracy": "?kind=wrong", "order_agreement": "?kind=flipped"}
"""column -> the filter of the page of answers."""


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """A trust check, and the runs that failed it, each with the reason."""

    title: str
    runs: list[tuple[ReportRow, str]]


def failed_checks(rows: Sequence[ReportRow]) -> list[FailedCheck]:
    """Return the trust checks that some run failed."""
    runs: dict[str, list[tuple[ReportRow, str]]] = {}
    for row in rows:
        for check in trust_checks.failed(row):
            runs.setdefault(check.title, []).append((row, check.why))
    return [FailedCheck(title, failed) for title, failed in runs.items()]


def page_table(table: Table, rows: Sequence[ReportRow], partial: Mapping[int, str]) -> Table:
    """Return the table of the page: attributes and subsets as sections, rows and answers with links.

    rows: of the runs in the table, above the rows for comparison. partial: run -> its state, if unfinished.
    """
    of_runs = [
        _with_links(line, row, table.columns, partial.get(row.name.run, ""))
        for line, row in zip(table.rows[: len(rows)], rows, strict=True)
    ]
    return _in_sections(replace(table, rows=(*of_runs, *table.rows[len(rows) :])), rows)


def page_of_means(table: Table, rows: Sequence[ReportRow]) -> Table:
    """Return the table of means over prompts, with attributes and subsets as sections. rows: as in `page_table`.

    The numbers of the runs stand behind the names.
    """
    return _without_names(_in_sections(table, rows), [RUN_TITLE])


def _in_sections(table: Table, rows: Sequence[ReportRow]) -> Table:
    """Return the table with sections, each with its rows for comparison below."""
    titles = [title for title in IN_SECTIONS if _differs(table, title)]
    sections = [_section(table, line, titles) for line in table.rows]
    order = {section: place for place, section in enumerate(dict.fromkeys(sections))}
    lines = [
        (order[section], replace(line, section=" · ".join(filter(None, [line.section, section]))))
        for section, line in zip(sections, table.rows, strict=True)
    ]
    ordered = tuple(line for _, line in sorted(lines, key=lambda one: (one[0], one[1].of == "comparison")))
    shown = [COMPARISON_NOTE] * any(row.of == "comparison" for row in table.rows)
    missing = [f"No row for {who[0].lower()}{who[1:]}." for who in by_reason(missing_for_comparison(rows))]
    return _without_names(replace(table, rows=ordered, notes=(*shown, *missing, *table.notes)), titles)


def _differs(table: Table, title: str) -> bool:
    place = table.name_titles.index(title) if title in table.name_titles else None
    return place is not None and len({row.names[place] for row in table.rows if row.of == "judge"}) > 1


def _section(table: Table, row: Row, titles: Sequence[str]) -> str:
    """Return the title above a row."""
    return " · ".join(str(row.names[table.name_titles.index(title)] or ALL) for title in titles)


def _with_links(line: Row, row: ReportRow, columns: Sequence[Column], state: str) -> Row:
    """Return the row with links to the run and its answers, and a remark on what is unusual about the run."""
    counts = row.counts
    remarks = [
        row.name.settings.removeprefix(", "),
        "decisions carry nothing" if trust_checks.is_constant(row) else "",
        *trust_checks.weak_points(row),
        f"{state}, figures so far" if state else "",
        f"{counts.unparsed:,} unparsed" if counts.unparsed else "",
        f"{counts.errors:,} error{'s' if counts.errors > 1 else ''}" if counts.errors else "",
    ]
    return replace(
        line,
        detail=" · ".join(filter(None, remarks)),
        href=reverse("run-results", args=[row.name.run]),
        cell_hrefs=tuple(_answers_behind(row, column.name) for column in columns),
    )


def _answers_behind(row: ReportRow, column: str) -> str:
    """Return the address of the answers that a figure counts; "" for other figures."""
    if column not in ANSWERS_BEHIND:
        return ""
    if SCORE in row.spearman:
        return reverse("run-comparisons", args=[row.name.run])
    return reverse("run-answers", args=[row.name.run]) + ANSWERS_BEHIND[column]


def _without_names(table: Table, titles: Sequence[str]) -> Table:
    places = [place for place, title in enumerate(table.name_titles) if title not in titles]
    rows = (replace(row, names=tuple(row.names[place] for place in places)) for row in table.rows)
    return replace(table, name_titles=tuple(table.name_titles[place] for place in places), rows=tuple(rows))


def accuracy_chart(rows: Sequence[ReportRow]) -> Chart | None:
    """Draw each run's accuracy with its interval, and a line at human agreement. None without an accuracy."""
    measured = [row for row in rows if row.accuracy.value is not None]
    human = {row.ceiling.value for row in measured}
    return dots_chart(
        [
            Dot(
                name=f"{row.name.judge}, {row.name.prompt}, {row.name.attribute} (run {row.name.run})",
                short=f"run {row.name.run}",
                share=row.accuracy,
            )
            for row in measured
        ],
        name="accuracy",
        title="Accuracy against people",
        people=human.pop() if len(human) == 1 else None,
    )
