"""`replaced`: whether a new judge is better, the same or worse than an old one, by a margin."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.numerics import DEFAULT_RANKING
from judging.management.rows_by_name import get_run
from rankings.compare.judge_replaced import LARGEST_MARGIN, JudgeReplaced, replace_judge
from rankings.compare.judge_replaced_page import replaced_sentence
from rankings.compare.two_runs import COMPARED_RANKINGS
from rankings.management.report_command import ReportCommand

WORSE_STATUS, UNDECIDED_STATUS = 1, 3


class Command(ReportCommand):
    help = (
        "Print whether a new judge is better, the same or worse than an old one on the pairs that both runs answered, "
        "by a margin given beforehand. Exit status: 0 better, same or not worse; 1 worse; 3 undecided; 2 bad input."
    )
    examples = ("replaced 7 8 --margin 0.02", "replaced 7 8 --margin 0.05 --figure spearman --json")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("old", type=int, metavar="OLD", help="number of the old judge's run")
        parser.add_argument("new", type=int, metavar="NEW", help="number of the new judge's run")
        parser.add_argument(
            "--margin",
            type=float,
            required=True,
            metavar="M",
            help="largest loss that is acceptable, in units of the figure: 0.02 is 2 percentage points of accuracy",
        )
        parser.add_argument("--figure", default="accuracy", help=f"one of: {', '.join(LARGEST_MARGIN)}")
        parser.add_argument(
            "--ranking", default=DEFAULT_RANKING, help=f"for spearman, one of: {', '.join(COMPARED_RANKINGS)}"
        )
        self.add_order_argument(parser)

    def run(self, options: dict[str, Any]) -> JudgeReplaced:
        return replace_judge(
            get_run(options["old"]),
            get_run(options["new"]),
            margin=options["margin"],
            figure=options["figure"],
            ranking=options["ranking"],
            choice=self.answers_of(options),
        )

    def show(self, result: JudgeReplaced) -> None:
        self.write_left_out(result.without)
        self.stdout.write(replaced_sentence(result))

    def status_of(self, result: JudgeReplaced) -> int:
        return {"worse": WORSE_STATUS, "undecided": UNDECIDED_STATUS}.get(result.verdict, 0)
