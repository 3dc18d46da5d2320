"""`disputes`: the pairs of a campaign on which people disagree."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.options import options_of
from evenhand.units import counted
from judging.management.rows_by_name import get_campaign
from judging.web.options import add_option_arguments, options_in_arguments
from rankings.disputes.dispute_rows import DisputedPair, DisputeReport, JudgeOnPair, dispute_report, judging_runs
from rankings.disputes.disputed_pairs import DisputeChoice, find_disputes
from rankings.management.report_command import ReportCommand
from rankings.tables.text_table import aligned, number_cell

HEAD = ("attribute", "context", "first", "second", "for first", "for second", "ties", "judges: p, swapped")


class Command(ReportCommand):
    help = "List the pairs of a campaign on which people disagree, with the votes and the answers of judges."
    examples = ('disputes "Coherence"', 'disputes "Coherence" --kind split --json')

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the campaign; the command campaigns lists them")
        add_option_arguments(parser, options_of(DisputeChoice))

    def run(self, options: dict[str, Any]) -> DisputeReport:
        campaign = get_campaign(options["name"])
        choice = DisputeChoice(**options_in_arguments(options, options_of(DisputeChoice)))
        disputes = find_disputes(campaign, choice)
        runs = campaign.dataset.runs.ordinary().select_related("judge", "prompt")
        return dispute_report(campaign, disputes, judging_runs(campaign, list(runs)))

    def show(self, result: DisputeReport) -> None:
        pairs = counted(result.compared, "pair")
        self.stdout.write(f"people disagree on {result.disputed} of {pairs} with two votes or more")
        if result.pairs:
            first = 0 if len({pair.attribute for pair in result.pairs}) > 1 else 1  # one attribute needs no column
            rows = [list(HEAD), *map(_cells, result.pairs)]
            self.stdout.write(aligned([row[first:] for row in rows]), ending="")


def _cells(pair: DisputedPair) -> list[str]:
    numbers = (pair.for_first, pair.for_second, pair.ties)
    return [
        pair.attribute,
        pair.context,
        pair.first,
        pair.second,
        *map(str, numbers),
        "; ".join(map(_judge, pair.judges)),
    ]


def _judge(one: JudgeOnPair) -> str:
    return f"{one.judge} (run {one.run}) {number_cell(one.p_first)}, {number_cell(one.p_first_swapped)}"
