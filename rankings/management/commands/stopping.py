"""`stopping`: the savings of a run that stops, or could have stopped, when it is sure."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.exclusion_options import add_exclusion_arguments
from judging.management.rows_by_name import get_run
from rankings.management.report_command import ReportCommand
from rankings.stopping.stopping_page import stopping_sentence
from rankings.stopping.stopping_report import (
    STOPPING_BOUNDS,
    STOPPING_DRAWS,
    StoppedAtBound,
    StoppingChoice,
    StoppingReport,
    stopping_report,
)
from rankings.tables.text_table import aligned, number_cell


class Command(ReportCommand):
    help = (
        "Replay a run with the selection until-sure: what stopping at each bound would save, and what it would cost in "
        "correlation. For a run that stopped when sure, print what it saved (docs/reference/stopping.md)."
    )
    examples = ("stopping 7", "stopping 7 --bound 0.1 --bound 0.05 --draws 10 --json")

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_run_argument(parser)
        parser.add_argument(
            "--bound",
            type=float,
            action="append",
            default=[],
            metavar="SHARE",
            help=f"expected share of reordered pairs at which a context ends; may be repeated "
            f"(default: {', '.join(map(str, STOPPING_BOUNDS))})",
        )
        parser.add_argument("--draws", type=int, default=STOPPING_DRAWS, metavar="N", help="replays with other seeds")
        parser.add_argument("--seed", type=int, default=0, help="seed of the first replay")
        add_exclusion_arguments(parser)

    def run(self, options: dict[str, Any]) -> StoppingReport:
        bounds = tuple(options["bound"]) or STOPPING_BOUNDS
        choice = StoppingChoice(bounds, options["draws"], options["seed"], self.answers_of(options))
        return stopping_report(get_run(options["run"]), choice)

    def show(self, result: StoppingReport) -> None:
        self.stdout.write(stopping_sentence(result))
        if result.bounds:
            head = ["bound", "comparisons", "asked", "expected", "reordered", "spearman", "difference", "low", "high"]
            self.stdout.write(aligned([head, *map(_cells, result.bounds)]), ending="")


def _cells(one: StoppedAtBound) -> list[str]:
    figures = (one.expected.value, one.reordered.value, one.spearman.value)
    difference = (one.difference.value, one.difference.low, one.difference.high)
    return [number_cell(value) for value in (one.bound, one.comparisons, one.asked, *figures, *difference)]
