"""Runs of a dataset side by side, for its results page. Computes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.urls import reverse

from rankings.charts.dot_chart import Dot, dots_chart
from rankings.charts.plotly_chart import Chart
from rankings.report import trust_checks
from rankings.report.report_row import ReportRow
from rankings.report.rows_of_one_run import SCORE
from rankings.tables.table import Column, Row

USUAL_SORT = "accuracy"
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


def with_links(line: Row, row: ReportRow, columns: Sequence[Column], state: str) -> Row:
    """Return the row with links to the run and its answers, and a remark on what is unusual about the run.

    state: of an unfinished run; "" for others.
    """
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
