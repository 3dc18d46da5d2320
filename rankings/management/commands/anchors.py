"""`anchors`: how much the ranking of a run depends on the one system that others are compared with."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.numerics import DEFAULT_RANKING
from judging.management.exclusion_options import add_exclusion_arguments
from judging.management.rows_by_name import get_run
from rankings.anchors.anchor_page import anchor_sentence
from rankings.anchors.anchor_report import AnchorChoice, AnchoredRanking, AnchorReport, anchor_report
from rankings.management.report_command import ReportCommand
from rankings.tables.text_table import aligned, number_cell


class Command(ReportCommand):
    help = (
        "Rank the systems of a run by the comparisons with each of them in turn, and compare these rankings with that "
        "of all comparisons and with people (docs/reference/anchors.md)."
    )
    examples = ("anchors 7", "anchors 7 --ranking win-ratio --json")

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_run_argument(parser)
        parser.add_argument("--ranking", default=DEFAULT_RANKING, help="by which systems are ordered")
        add_exclusion_arguments(parser)

    def run(self, options: dict[str, Any]) -> AnchorReport:
        return anchor_report(get_run(options["run"]), AnchorChoice(options["ranking"], self.answers_of(options)))

    def show(self, result: AnchorReport) -> None:
        self.stdout.write(anchor_sentence(result))
        head = ["anchor", "rank", "comparisons", "spearman", "kendall", "largest move", "people"]
        self.stdout.write(aligned([head, *map(_cells, result.anchors)]), ending="")


def _cells(one: AnchoredRanking) -> list[str]:
    figures = (one.spearman.value, one.kendall.value, one.largest_move, one.people.value)
    return [one.anchor, *(number_cell(value) for value in (one.rank, one.comparisons, *figures))]
