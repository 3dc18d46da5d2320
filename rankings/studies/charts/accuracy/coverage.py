"""Accuracy of the runs of a study on the surest comparisons of each judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics import Figure, Judged
from evenhand.numerics.figure import defined
from evenhand.numerics.reliability.coverage import COVERAGES, accuracy_at_coverages
from evenhand.numerics.reliability.sureness import probability_sureness
from judging.models import Run
from rankings.charts.line_chart import padded, y_span
from rankings.charts.plotly_chart import Chart
from rankings.loading import People
from rankings.report.number_text import percent
from rankings.studies.charts.judged_answers import AnswersChoice, computed_of_runs
from rankings.studies.charts.panels import PanelAxes, line_charts, lines_of_runs
from rankings.studies.charts.run_panels import RunPanel, panels_of_runs
from rankings.studies.dimensions import Names
from rankings.tables.table import Column

TABLE_COVERAGES = (1.0, 0.8, 0.6, 0.4, 0.2)
SUREST = 0.2
NOTE_ON_COVERAGE = "Comparisons by falling |p − 1/2|, the surest first; bands: 95 % intervals over contexts."


@dataclass(frozen=True, slots=True)
class CoverageOfRun:
    """The accuracy of a run at each share of COVERAGES."""

    run: Run
    label: str
    accuracies: Sequence[Figure]

    @property
    def drawn(self) -> list[tuple[float, Figure]]:
        """Return each share with its accuracy."""
        return list(zip(COVERAGES, self.accuracies, strict=True))

    @property
    def is_drawn(self) -> bool:
        return all(one.value is not None for one in self.accuracies)

    def at(self, coverage: float) -> Figure:
        """Return the accuracy at one of COVERAGES."""
        return self.accuracies[COVERAGES.index(coverage)]


def coverages_of_runs(runs: Sequence[Run], labels: Mapping[int, str], choice: AnswersChoice) -> list[CoverageOfRun]:
    """Return the accuracies of each run, from the cache or computed."""
    figures = computed_of_runs("coverage", runs, choice, _accuracies, _missing)
    return [CoverageOfRun(run, labels[run.pk], figures[run]) for run in runs]


def _accuracies(judged: Judged, people: People) -> list[Figure]:
    """Comparisons without an answer are the least sure."""
    sureness, n_wrong = probability_sureness(judged.answered), len(judged.wrong or ())
    return accuracy_at_coverages(judged.comparisons, judged.right, np.append(sureness, np.full(n_wrong, -1.0)))


def _missing(reason: str) -> list[Figure]:
    return [Figure.missing(reason)] * len(COVERAGES)


def panels_of_coverages(coverages: Sequence[CoverageOfRun], names: Mapping[int, Names]) -> list[RunPanel]:
    """Return the panels of the runs with accuracies, the best on all comparisons first."""
    drawn = [one for one in coverages if one.is_drawn]
    return panels_of_runs([one.run for one in drawn], names, {one.run.pk: defined(one.at(1.0).value) for one in drawn})


def coverage_charts(coverages: Sequence[CoverageOfRun], panels: Sequence[RunPanel]) -> list[Chart]:
    """Draw accuracy against coverage, a line for each run."""
    if not panels:
        return []
    lines = lines_of_runs(coverages, panels, hover="%{y:.1%} on %{x:.0%}")
    low, high = padded(y_span([line for of_panel in lines for line in of_panel]), share=0.06, least=0.01)
    axes = PanelAxes(
        name="coverage",
        note=NOTE_ON_COVERAGE,
        x={"title": "Share of the comparisons, the surest first", "tickformat": ".0%", "range": [0.05, 1.03]},
        y={"title": "Accuracy", "tickformat": ".0%", "range": [low, min(high, 1.02)]},
    )
    return line_charts(panels, lines, axes)


def coverage_columns() -> list[Column]:
    """Return the columns of the table."""
    return [
        Column(
            name=f"coverage_{100 * share:.0f}",
            title="all" if share == 1 else f"surest {100 * share:.0f}\u202f%",
            group="Accuracy",
            marks_best=True,
            definition="report/#accuracy" if share == 1 else "studies/#coverage",
        )
        for share in TABLE_COVERAGES
    ]


def coverage_sentence(coverages: Sequence[CoverageOfRun]) -> str:
    """Write the best run on its surest comparisons, with its accuracy on all; "" without a run."""
    drawn = [one for one in coverages if one.is_drawn]
    if not drawn:
        return ""
    best = max(drawn, key=lambda one: defined(one.at(SUREST).value))
    surest, every = (percent(defined(best.at(share).value)) for share in (SUREST, 1.0))
    return f"{best.label}: accuracy {surest} on its surest {100 * SUREST:.0f}\u202f%, {every} overall."
