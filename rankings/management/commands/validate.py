"""`validate`: measure on made-up judges how often analyses speak of planted faults, and of fair judges."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.numerics.figure import Figure
from evenhand.numerics.reliability.trust.validation import VALIDATED_ANALYSES, Validation, validate
from evenhand.options import options_of
from evenhand.report_json import as_json
from evenhand.units import counted
from judging.management.evenhand_command import EvenhandCommand
from judging.web.options import add_option_arguments, options_in_arguments
from rankings.tables.text_table import aligned

LEFT_ALONE = "None speaks of a fair judge in more than 5 % of studies, but for what chance explains."
TOO_OFTEN = "One speaks of a fair judge in more than 5 % of studies, which chance does not explain."


class Command(EvenhandCommand):
    help = (
        "Measure on made-up judges, each with one planted fault, in how many studies analyses speak of it, and how "
        "often of fair judges. The exit status is 1 if one speaks of a fair judge too often."
    )
    examples = ("validate", "validate --contexts 10 --pairs 30 --studies 500 --json")

    def add_arguments(self, parser: CommandParser) -> None:
        add_option_arguments(parser, options_of(validate))

    def run(self, options: dict[str, Any]) -> Validation:
        return validate(**options_in_arguments(options, options_of(validate)))

    def json_of(self, result: Validation) -> object:
        return as_json(result)

    def show(self, result: Validation) -> None:
        rows = [[one.judge, *(_share(one.spoke[name]) for name in VALIDATED_ANALYSES)] for one in result.judges]
        self.stdout.write(aligned([["Judge", *VALIDATED_ANALYSES], *rows]))
        design = (
            f"{result.studies:,} studies of {counted(result.contexts, 'context')} with {counted(result.pairs, 'pair')}"
        )
        self.stdout.write(f"Share of {design} in which each speaks of a fault.")
        self.stdout.write(LEFT_ALONE if result.holds else TOO_OFTEN)

    def status_of(self, result: Validation) -> int:
        return int(not result.holds)


def _share(figure: Figure) -> str:
    return "–" if figure.value is None else f"{100 * figure.value:.3g} %"
