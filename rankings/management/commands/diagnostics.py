"""`diagnostics`: calibration, consistency and reliability of a run."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from evenhand.numerics import Figure
from judging.management.exclusion_options import add_exclusion_arguments, read_exclusion
from judging.management.rows_by_name import get_run
from judging.models import Run
from rankings.diagnostics.diagnostics_report import diagnostics_of
from rankings.diagnostics.diagnostics_row import (
    Diagnostics,
    PoweredSystem,
    PredictionPowered,
    RaterFitRow,
    Reliability,
    diagnostics_long_form,
)
from rankings.diagnostics.diagnostics_tables import OUTSIDE, SYSTEM_COLUMNS
from rankings.management.report_command import LongReportCommand
from rankings.tables.long_form import LongForm
from rankings.tables.text_table import aligned, number_cell


class Command(LongReportCommand):
    help = "Print calibration, consistency, raters' fit, reliability and prediction-powered estimates of a run."
    examples = (
        "diagnostics 7",
        "diagnostics 7 --json",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_run_argument(parser)
        add_exclusion_arguments(parser)

    def run(self, options: dict[str, Any]) -> Diagnostics:
        run = get_run(options["run"])
        runs = Run.objects.ordinary().filter(attribute=run.attribute_id).order_by("pk")
        return diagnostics_of(run, runs=runs, exclusion=read_exclusion(options))

    def long_form_of(self, result: Diagnostics) -> LongForm:
        return diagnostics_long_form(result)

    def show_report(self, result: Diagnostics) -> None:
        self.write_left_out(result.without)
        self.stdout.write("\n".join(diagnostics_lines(result)), ending="")


def diagnostics_lines(report: Diagnostics) -> Iterator[str]:
    """Yield all diagnostics but the histogram as text."""
    name, calibration, consistency = report.name, report.own.calibration, report.own.consistency
    yield f"{name.judge}, {name.prompt} on {name.attribute} (run {name.run})"
    figures = {
        "calibration error": calibration.expected_calibration_error,
        "Brier score": calibration.brier_score,
        "p and score difference": calibration.score_differences.correlation,
        "cyclic triads": consistency.cyclic_triads,
        "weak violations": consistency.weak_violations,
        "moderate violations": consistency.moderate_violations,
        "strong violations": consistency.strong_violations,
    }
    yield aligned([["", "value", "low", "high", "n", ""], *(figure_line(*item) for item in figures.items())])
    parts = [[number_cell(part.mean_p_first.value), *numbers(part.share_first)] for part in calibration.bins]
    if parts:
        yield aligned([["p", "people prefer first", "low", "high", "n"], *parts])
    by_ranking = [reliability_line(*item) for item in report.own.reliability.items()]
    yield aligned([["ranking", "split-half", "separation", "index"], *by_ranking])
    yield aligned([["rater", "n", "infit to all", "outfit to all", ""], *map(rater_line, report.rater_fit.raters)])
    yield from powered_lines(report.own.prediction_powered)


def figure_line(title: str, figure: Figure) -> list[str]:
    return [title, *numbers(figure), figure.undefined or ""]


def numbers(figure: Figure) -> list[str]:
    ends = map(number_cell, (figure.value, figure.low, figure.high))
    return [*ends, "-" if figure.n is None else str(figure.n)]


def reliability_line(ranking: str, one: Reliability) -> list[str]:
    figures = (one.split_half, one.separation_reliability, one.separation_index)
    return [ranking, *(number_cell(figure.value) for figure in figures)]


def rater_line(rater: RaterFitRow) -> list[str]:
    outside = OUTSIDE if rater.outside_usual_range else ""
    return [rater.name, f"{rater.infit.n}", number_cell(rater.infit.value), number_cell(rater.outfit.value), outside]


def powered_lines(powered: PredictionPowered) -> Iterator[str]:
    if powered.undefined:
        yield f"people with the judge: undefined: {powered.undefined}\n"
        return
    titles = ["system", "labelled", "others", *(column.name.replace("_", " ") for column in SYSTEM_COLUMNS)]
    yield aligned([titles, *map(system_line, powered.systems)])


def system_line(row: PoweredSystem) -> list[str]:
    figures = (number_cell(getattr(row, column.name).value) for column in SYSTEM_COLUMNS)
    return [row.system, str(row.labelled_pairs), str(row.other_pairs), *figures]
