"""`shift`: how far an added sentence moved a judge."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.rows_by_name import get_run
from judging.models import Run
from rankings.management.report_command import ReportCommand
from rankings.steering.shift_page import shift_sentence
from rankings.steering.shift_report import ShiftReport, ShiftRow, run_without_sentence, shift_report
from rankings.tables.text_table import aligned, number_cell


class Command(ReportCommand):
    help = (
        "Print how far the added sentence of a robustness run moved its judge, against the same pairs without it "
        "(docs/reference/robustness.md)."
    )
    examples = ("shift 8", "shift 8 --against 7 --json")

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_run_argument(parser)
        parser.add_argument(
            "--against", type=int, metavar="R", help="run without the sentence (default: the one with equal settings)"
        )

    def run(self, options: dict[str, Any]) -> ShiftReport:
        run = get_run(options["run"])
        return shift_report(run, run_without_sentence(run, Run.objects.all(), options["against"]))

    def show(self, result: ShiftReport) -> None:
        self.stdout.write(shift_sentence(result))
        rows = [["all", *_cells(result.figures)]]
        rows += [[f"shown {one.position}", *_cells(one.figures)] for one in result.positions]
        rows += [[one.system, *_cells(one.figures)] for one in result.systems]
        head = ["sentence in", "pairs", "without", "with", "shift", "low", "high", "flips to", "flips away"]
        self.stdout.write(aligned([head, *rows]), ending="")
        self.stdout.write(f"Turned in both orders: {number_cell(result.flips_in_both_orders.value)}")


def _cells(row: ShiftRow) -> list[str]:
    figures = [row.p_without.value, row.p_with.value, row.shift.value, row.shift.low, row.shift.high]
    return [str(row.pairs), *map(number_cell, [*figures, row.flips_to.value, row.flips_away.value])]
