"""The calibration of the runs of a study: how often people prefer the first text at each p."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.numerics import Figure, Judged
from evenhand.numerics.figure import defined
from judging.models import Run
from rankings.charts.line_chart import diagonal_trace
from rankings.charts.plotly_chart import Chart
from rankings.diagnostics.calibration import calibration, undefined_calibration
from rankings.diagnostics.diagnostics_row import Calibration
from rankings.loading import People
from rankings.report.number_text import coefficient
from rankings.studies.charts.judged_answers import AnswersChoice, computed_of_runs
from rankings.studies.charts.panels import PanelAxes, line_charts, lines_of_runs
from rankings.studies.charts.run_panels import RunPanel, panels_of_runs
from rankings.studies.dimensions import Names
from rankings.tables.table import Column

CALIBRATION_COLUMNS = {"expected_calibration_error": "Calibration error", "brier_score": "Brier score"}
CALIBRATION_NOTE = "Ten parts of p; bands: 95 % intervals over contexts. On the diagonal a judge is calibrated."


@dataclass(frozen=True, slots=True)
class CalibrationOfRun:
    """The calibration of one run."""

    run: Run
    label: str
    own: Calibration

    @property
    def drawn(self) -> list[tuple[float, Figure]]:
        """Return the mean p and the share of people of each part with both."""
        pairs = [(part.mean_p_first.value, part.share_first) for part in self.own.bins]
        return [(mean, share) for mean, share in pairs if mean is not None and share.value is not None]

    @property
    def figures(self) -> list[Figure | None]:
        return [getattr(self.own, name) for name in CALIBRATION_COLUMNS]


def calibrations_of_runs(
    runs: Sequence[Run], labels: Mapping[int, str], choice: AnswersChoice
) -> list[CalibrationOfRun]:
    """Return the calibration of each run, from the cache or computed."""
    computed = computed_of_runs("calibration of study", runs, choice, _calibration, undefined_calibration)
    return [CalibrationOfRun(run, labels[run.pk], computed[run]) for run in runs]


def _calibration(judged: Judged, people: People) -> Calibration:
    return calibration(judged.answered, people)


def panels_of_calibrations(calibrations: Sequence[CalibrationOfRun], names: Mapping[int, Names]) -> list[RunPanel]:
    """Return the panels of the runs with a part to draw, those with the smallest error first."""
    errors = {one.run.pk: one.own.expected_calibration_error.value for one in calibrations}
    heights = {run: -error for run, error in errors.items() if error is not None}
    return panels_of_runs([one.run for one in calibrations if one.drawn], names, heights)


def calibration_charts(calibrations: Sequence[CalibrationOfRun], panels: Sequence[RunPanel]) -> list[Chart]:
    """Draw how often people prefer the first against p, a line for each run."""
    lines = lines_of_runs(calibrations, panels, hover="judge %{x:.3f}, people %{y:.1%}")
    axes = PanelAxes(
        name="calibration",
        note=CALIBRATION_NOTE,
        x={"title": "p, as the judge says", "range": [-0.02, 1.02]},
        y={"title": "People prefer the first", "range": [-0.04, 1.04], "tickformat": ".0%"},
        background=[diagonal_trace()],
    )
    return line_charts(panels, lines, axes) if panels else []


def calibration_columns() -> list[Column]:
    """Return the columns of the table."""
    return [
        Column(name=name, title=title, kind="coefficient", definition=f"diagnostics/#{name}")
        for name, title in CALIBRATION_COLUMNS.items()
    ]


def best_calibrated_sentence(calibrations: Sequence[CalibrationOfRun]) -> str:
    """Write the run with the smallest calibration error; "" without one."""
    known = [one for one in calibrations if one.own.expected_calibration_error.value is not None]
    if not known:
        return ""
    best = min(known, key=lambda one: defined(one.own.expected_calibration_error.value))
    error = coefficient(defined(best.own.expected_calibration_error.value))
    if len(known) == 1:
        return f"{best.label} has a calibration error of {error}; 0 is perfect."
    worst = max(defined(one.own.expected_calibration_error.value) for one in known)
    return f"{best.label} is calibrated best: error {error}, up to {coefficient(worst)} over all {len(known)} runs."
