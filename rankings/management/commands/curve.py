"""`curve`: agreement with people against the number of comparisons."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.numerics import CURVE_MEASURES, CURVE_RANKINGS, CURVE_SELECTIONS, PAIRS_SORT
from judging.management.exclusion_options import read_exclusion
from judging.management.rows_by_name import get_run
from rankings.curves.curve_choice import CurveChoice, biases_of
from rankings.curves.curve_long_form import curve_long_form
from rankings.curves.curve_records import CurveReport
from rankings.curves.curve_report import curve_report
from rankings.management.report_command import LongReportCommand
from rankings.tables.long_form import LongForm
from rankings.tables.text_table import aligned, number_cell

NAME = ("ranking", "selection", "debiased", "average_orders", "beam", "comparisons")
POINT_COLUMNS = ("source", *NAME, "mean", "low", "high", "draws")
WORTH = (*NAME, "mean")


class Command(LongReportCommand):
    help = (
        "Print agreement with people against the comparisons per context, over random draws of the run's comparisons."
    )
    examples = (
        "curve 7",
        "curve 7 --ranking bradley-terry --selection symmetric --both --people",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_run_argument(parser)
        parser.add_argument(
            "--ranking",
            action="append",
            default=[],
            help=f"one of {', '.join(CURVE_RANKINGS)}; default: all of these; or {PAIRS_SORT}",
        )
        parser.add_argument(
            "--selection", action="append", default=[], help=f"one of {', '.join(CURVE_SELECTIONS)}; default: random"
        )
        parser.add_argument("--debias", action="store_true", help="debias by the threshold or the shifts of the run")
        parser.add_argument("--both", action="store_true", help="raw and debiased")
        parser.add_argument(
            "--average-orders",
            action="store_true",
            help="use the mean of both orders of each pair; can be combined with --both or --debias",
        )
        parser.add_argument(
            "--people", action="store_true", help="add curves of human votes, over contexts with answers and votes"
        )
        parser.add_argument(
            "--measure", default="spearman", help=f"one of {', '.join(CURVE_MEASURES)}; default: spearman"
        )
        parser.add_argument("--draws", type=int, default=50, help="random draws of each point")
        parser.add_argument("--seed", type=int, default=0, help="seed of the draws")
        self.add_order_argument(parser)

    def run(self, options: dict[str, Any]) -> CurveReport:
        choice = CurveChoice(
            rankings=tuple(options["ranking"]),
            selections=tuple(options["selection"]),
            biases=biases_of(**{name: options[name] for name in ("debias", "both", "average_orders")}),
            people=options["people"],
            measure=options["measure"],
            draws=options["draws"],
            seed=options["seed"],
            order=options["order"],
            exclusion=read_exclusion(options),
        )
        self.judged = get_run(options["run"])
        return curve_report(self.judged, choice)

    def long_form_of(self, result: CurveReport) -> LongForm:
        return curve_long_form(self.judged, result)

    def show_report(self, result: CurveReport) -> None:
        cells = [[number_cell(getattr(point, column)) for column in POINT_COLUMNS] for point in result.points]
        self.write_left_out(result.without)
        self.stdout.write(aligned([POINT_COLUMNS, *cells]), ending="")
        if result.worth:
            rows = [
                [*(number_cell(getattr(one, column)) for column in WORTH), number_cell(one.votes.value)]
                for one in result.worth
            ]
            self.stdout.write("\n" + aligned([(*WORTH, "votes"), *rows]), ending="")
