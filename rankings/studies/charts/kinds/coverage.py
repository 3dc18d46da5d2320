"""Accuracy of the runs of a study on the surest comparisons of each judge."""

from collections.abc import Sequence

import numpy as np

from evenhand.numerics import Figure, Judged
from evenhand.numerics.figure import defined
from evenhand.numerics.reliability.coverage import COVERAGES, accuracy_at_coverages, probability_sureness
from rankings.loading import People
from rankings.report.printed_numbers import percent
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.chosen_runs import ChosenRuns, Debias, computed_of_runs
from rankings.studies.charts.panels import SHARE, PanelAxes, RunLine, line_tab
from rankings.tables.table import Column

TABLE_COVERAGES = (1.0, 0.8, 0.6, 0.4, 0.2)
SUREST = 0.2
COVERAGE_AXES = PanelAxes(
    name="coverage",
    note="Comparisons by falling |p − 1/2|, the surest first; bands: 95 % intervals over contexts.",
    x={"title": "Share of the comparisons, the surest first", "tickformat": ".0%", "range": [0.05, 1.03]},
    y={"title": "Accuracy", "tickformat": ".0%"},
)


def coverage_tab(chosen: ChosenRuns, *, debias: Debias = False) -> ChartTab:
    """Draw accuracy against coverage."""
    accuracies = computed_of_runs(
        "coverage", chosen, _accuracies, lambda reason: [Figure.missing(reason)] * len(COVERAGES), debiased=debias
    )
    complete = {run: one for run, one in accuracies.items() if all(figure.value is not None for figure in one)}
    lines = [
        RunLine(
            run,
            list(zip(COVERAGES, complete[run], strict=True)) if run in complete else [],
            [_at(share, one) for share in TABLE_COVERAGES],
            _at(1.0, one).value or 0,
            [one[0].undefined or "no value"],
        )
        for run, one in accuracies.items()
    ]
    return line_tab(
        chosen,
        lines,
        _columns(),
        COVERAGE_AXES,
        hover="%{y:.1%} on %{x:.0%}",
        ends=SHARE,
        title="Accuracy against coverage",
        definition="studies/#coverage",
        sentence=_sentence([(chosen.labels[run.pk], one) for run, one in complete.items()]),
    )


def _accuracies(judged: Judged, people: People) -> list[Figure]:
    """Comparisons without an answer are the least sure."""
    sureness, n_wrong = probability_sureness(judged.answered), len(judged.wrong or ())
    return accuracy_at_coverages(judged.comparisons, judged.right, np.append(sureness, np.full(n_wrong, -1.0)))


def _at(coverage: float, accuracies: Sequence[Figure]) -> Figure:
    """Return the accuracy at one of COVERAGES."""
    return accuracies[COVERAGES.index(coverage)]


def _columns() -> list[Column]:
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


def _sentence(runs: Sequence[tuple[str, Sequence[Figure]]]) -> str:
    """Write the best run on its surest comparisons, with its accuracy on all; "" without a run."""
    if not runs:
        return ""
    label, best = max(runs, key=lambda run: defined(_at(SUREST, run[1]).value))
    surest, every = (percent(defined(_at(share, best).value)) for share in (SUREST, 1.0))
    return f"{label}: accuracy {surest} on its surest {100 * SUREST:.0f}\u202f%, {every} overall."
