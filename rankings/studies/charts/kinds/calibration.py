"""The calibration of the runs of a study: how often people prefer the first text at each p."""

from collections.abc import Sequence
from math import inf

from evenhand.numerics import Figure, Judged
from rankings.charts.line_chart import diagonal_trace
from rankings.diagnostics.calibration import calibration, undefined_calibration
from rankings.diagnostics.diagnostics_row import Calibration
from rankings.loading import People
from rankings.report.printed_numbers import coefficient
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.charts.chosen_runs import ChosenRuns, Debias, computed_of_runs
from rankings.studies.charts.panels import PanelAxes, RunLine, line_tab
from rankings.tables.table import Column

CALIBRATION_COLUMNS = {"expected_calibration_error": "Calibration error", "brier_score": "Brier score"}
CALIBRATION_AXES = PanelAxes(
    name="calibration",
    note="Ten parts of p; bands: 95 % intervals over contexts. On the diagonal a judge is calibrated.",
    x={"title": "p, as the judge says", "range": [-0.02, 1.02]},
    y={"title": "People prefer the first", "range": [-0.04, 1.04], "tickformat": ".0%"},
    background=[diagonal_trace()],
)


def calibration_tab(chosen: ChosenRuns, *, debias: Debias = False) -> ChartTab:
    """Draw how often people prefer the first against p."""
    computed = computed_of_runs("calibration of study", chosen, _calibration, undefined_calibration, debiased=debias)
    lines = [
        RunLine(
            run,
            _points(one),
            [getattr(one, name) for name in CALIBRATION_COLUMNS],
            -inf if (error := one.expected_calibration_error.value) is None else -error,
            [one.expected_calibration_error.undefined or "no value"],
        )
        for run, one in computed.items()
    ]
    errors = [(one.expected_calibration_error.value, chosen.labels[run.pk]) for run, one in computed.items()]
    return line_tab(
        chosen,
        lines,
        [
            Column(name=name, title=title, kind="coefficient", definition=f"diagnostics/#{name}")
            for name, title in CALIBRATION_COLUMNS.items()
        ],
        CALIBRATION_AXES,
        hover="judge %{x:.3f}, people %{y:.1%}",
        page="run-diagnostics",
        title="Calibration",
        definition="diagnostics/#expected_calibration_error",
        sentence=_sentence([(error, label) for error, label in errors if error is not None]),
        usual_sort="-expected_calibration_error",
    )


def _calibration(judged: Judged, people: People) -> Calibration:
    return calibration(judged.answered, people)


def _points(one: Calibration) -> list[tuple[float, Figure]]:
    """Return the mean p and the share of people of each part with both."""
    pairs = [(part.mean_p_first.value, part.share_first) for part in one.bins]
    return [(mean, share) for mean, share in pairs if mean is not None and share.value is not None]


def _sentence(errors: Sequence[tuple[float, str]]) -> str:
    """Write the run with the smallest calibration error; "" without one."""
    if not errors:
        return ""
    least, label = min(errors, key=lambda one: one[0])
    if len(errors) == 1:
        return f"{label} has a calibration error of {coefficient(least)}; 0 is perfect."
    most = coefficient(max(error for error, _ in errors))
    return f"{label} is calibrated best: error {coefficient(least)}, up to {most} over all {len(errors)} runs."
