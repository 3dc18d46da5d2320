"""The runs of a dataset side by side, as its results page shows them. Computes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankings.charts.dot_chart import dot_of, dots_chart
from rankings.charts.plotly_chart import Chart
from rankings.numerics import Figure
from rankings.report import trust_checks
from rankings.report.report_row import Coefficient, Correlations, ReportRow, TrustCheck
from rankings.report.run_page import TABLE_FIGURES, FigureCell, at_level, by_reason, figure_cells, undefined_figures


@dataclass(frozen=True, slots=True)
class SideBySide:
    """A run (or a subset of one) in the table of a dataset: its row, and its coefficients by the chosen ranking.

    partial: of a run that is not done, its state in words. checks, failed: of a run, how many trust checks passed, and
    those that did not; nothing for a subset.
    """

    row: ReportRow
    is_subset: bool
    partial: str
    checks: str
    failed: list[TrustCheck]
    figures: list[FigureCell]
    spearman: list[Coefficient]
    kendall: list[Coefficient]


def side_by_side(
    rows: Sequence[ReportRow], *, ranking: str, partial: Mapping[int, str] | None = None
) -> list[SideBySide]:
    """Rows with their coefficients per context, raw and debiased; a scoring run has its one ranking.

    partial: the state, in words, of every run that is not done.
    """
    return [_beside(row, ranking, (partial or {}).get(row.name.run, "")) for row in rows]


def _beside(row: ReportRow, ranking: str, partial: str) -> SideBySide:
    is_subset = not row.is_whole
    return SideBySide(
        row,
        is_subset,
        partial="" if is_subset else partial,
        checks="" if is_subset else trust_checks.summary(row),
        failed=[] if is_subset else trust_checks.failed(row),
        figures=figure_cells(row, TABLE_FIGURES),
        spearman=per_context(row.spearman, ranking),
        kendall=per_context(row.kendall, ranking),
    )


def reasons(lines: Sequence[SideBySide], people: Mapping[str, Figure]) -> list[str]:
    """Why some figures of the table are undefined, each reason once, with the names of the figures."""
    figures = undefined_figures([line.row for line in lines], TABLE_FIGURES)
    coefficients = [told for line in lines for told in _undefined_cells(line)]
    return by_reason([*_undefined_people(people), *figures, *coefficients])


def _undefined_people(people: Mapping[str, Figure]) -> list[tuple[str, str]]:
    """People have a line in the table only where there is one to measure them by."""
    return [(f"People on {attribute}", one.undefined or "") for attribute, one in people.items() if one.value is None]


def _undefined_cells(line: SideBySide) -> list[tuple[str, str]]:
    titled = [
        (f"{name}{kind}", one)
        for name, of_kinds in (("Spearman", line.spearman), ("Kendall", line.kendall))
        for kind, one in zip(("", ", debiased"), of_kinds, strict=True)
    ]
    return [(title, one.undefined) for title, one in titled if one.value is None]


def per_context(correlations: Mapping[str, Correlations], ranking: str) -> list[Coefficient]:
    """The mean over contexts by a ranking, raw and debiased; a scoring run has its one ranking."""
    return at_level(correlations.get(ranking) or next(iter(correlations.values())), "per_context")


def people(rows: Sequence[ReportRow]) -> dict[str, Figure]:
    """By attribute, how far people agree with each other; of the run with the most votes on its contexts."""
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
