"""`repeatability`: how often judges change their decisions when they are asked again."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.refusals import Refused
from judging.management.rows_by_name import get_dataset, get_run
from rankings.management.report_command import ReportCommand
from rankings.repeats.repeatability_report import (
    NoiseOfFigure,
    RepeatabilityReport,
    RepeatabilityRow,
    repeatability_of,
    repeatability_report,
)
from rankings.tables.text_table import aligned, number_cell


class Command(ReportCommand):
    help = (
        "Print how repeatable judges are: flips and kappa between repeats of the same questions, and the noise floor "
        "of accuracy and correlation (docs/reference/repeatability.md)."
    )
    examples = ("repeatability --dataset SummEval", "repeatability --dataset SummEval --run 3 --run 4 --json")

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_dataset_option(parser)
        self.add_runs_option(parser, default="all runs that repeat each other")

    def run(self, options: dict[str, Any]) -> RepeatabilityReport:
        dataset, runs = get_dataset(options["dataset"]), [get_run(pk) for pk in options["runs"]]
        if wrong := [run for run in runs if run.dataset != dataset]:
            raise Refused(*(f'run: {run.pk} is of the dataset "{run.dataset}", not "{dataset}"' for run in wrong))
        return repeatability_of(runs) if runs else repeatability_report(dataset, dataset.runs.all())

    def show(self, result: RepeatabilityReport) -> None:
        for left_out in result.left_out or []:
            self.note(f"run {', '.join(map(str, left_out.runs))}: {left_out.why}")
        if not result.rows:
            self.stdout.write("No run repeats another. Judge again with another seed and a temperature above 0.")
            return
        head = ["repeats", "comparisons", "flip rate", "low", "high", "kappa", "floor of accuracy", "of spearman"]
        self.stdout.write(aligned([head, *map(_cells, result.rows)]), ending="")


def _cells(row: RepeatabilityRow) -> list[str]:
    numbers = ", ".join(map(str, row.runs))
    title = f"{row.name.judge}, {row.name.prompt}, {row.name.attribute} ({row.repeats} {row.between}; run {numbers})"
    flips, kappa = row.flip_rate, row.kappa
    shares = [number_cell(value) for value in (flips.value, flips.low, flips.high, kappa.value)]
    return [title, str(row.comparisons), *shares, *map(_floor, row.figures)]


def _floor(figure: NoiseOfFigure) -> str:
    return number_cell(figure.noise_floor.value)
