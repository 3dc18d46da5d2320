"""`style`: the effects of length and Markdown on a judge, and its ranking of systems with style held fixed."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.numerics import Figure
from judging.management.rows_by_name import get_run
from rankings.management.report_command import ReportCommand
from rankings.style.style_page import style_sentence
from rankings.style.style_report import StyleReport, style_report
from rankings.tables.text_table import aligned, number_cell


class Command(ReportCommand):
    help = (
        "Print how length and Markdown of the texts move a judge's answers, and its ranking of systems before and "
        "after control for them (docs/reference/style.md)."
    )
    examples = ("style 7", "style 7 --without-system M0 --json")

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_run_argument(parser)
        self.add_order_argument(parser)

    def run(self, options: dict[str, Any]) -> StyleReport:
        return style_report(get_run(options["run"]), self.answers_of(options))

    def show(self, result: StyleReport) -> None:
        self.write_left_out(result.without)
        self.stdout.write(style_sentence(result))
        effects = [(one.feature, one.coefficient) for one in result.coefficients]
        rows = [[name, *_ends(figure)] for name, figure in [*effects, ("position, first", result.position_bias)]]
        self.stdout.write(aligned([["feature", "coefficient", "low", "high"], *rows]), ending="")
        head = ["system", "after", "low", "high", "before", "low", "high"]
        systems = [[row.system, *_ends(row.after), *_ends(row.before)] for row in result.systems]
        self.stdout.write(aligned([head, *systems]), ending="")


def _ends(figure: Figure) -> list[str]:
    return [number_cell(figure.value), number_cell(figure.low), number_cell(figure.high)]
