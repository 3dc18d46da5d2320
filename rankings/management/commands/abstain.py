"""`abstain`: accuracy where a judge is surest, and the threshold below which it should abstain."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.units import counted
from judging.management.rows_by_name import get_run
from rankings.abstaining.abstaining_page import doubt_sentence, threshold_sentence
from rankings.abstaining.abstaining_report import (
    SURENESS_TITLES,
    USUAL_ALPHA,
    USUAL_CONFIDENCE,
    Abstaining,
    MeasureOfSureness,
    abstaining_of,
)
from rankings.abstaining.doubtful_campaign import ask_people
from rankings.management.report_command import ReportCommand
from rankings.tables.text_table import aligned, number_cell


class Command(ReportCommand):
    help = (
        "Print a run's accuracy by coverage, and a threshold that keeps errors among answered comparisons below alpha, "
        "with a guarantee (docs/reference/abstaining.md)."
    )
    examples = ("abstain 3", "abstain 3 --by orders --alpha 0.15 --confidence 0.9 --json")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, metavar="RUN", help="number of the run")
        parser.add_argument(
            "--by",
            choices=SURENESS_TITLES,
            default="probability",
            help="measure of sureness: distance of the probability from 1/2, agreement of both orders, or agreement of "
            "the members of a jury (default: probability)",
        )
        parser.add_argument(
            "--alpha",
            type=float,
            default=USUAL_ALPHA,
            metavar="SHARE",
            help=f"largest share of errors among answered comparisons (default {USUAL_ALPHA})",
        )
        parser.add_argument(
            "--confidence",
            type=float,
            default=USUAL_CONFIDENCE,
            metavar="SHARE",
            help=f"confidence that errors stay below alpha (default {USUAL_CONFIDENCE})",
        )
        parser.add_argument(
            "--choose-on",
            default="",
            metavar="development",
            help="choose the threshold on the development part of a split dataset, and report it on the test part",
        )
        parser.add_argument(
            "--campaign", metavar="NAME", help="create a campaign with the doubtful pairs that people have not decided"
        )

    def run(self, options: dict[str, Any]) -> Abstaining:
        run = get_run(options["run"])
        chosen = {name: options[name] for name in ("by", "alpha", "confidence", "choose_on")}
        report = abstaining_of(run, **chosen)
        if options["campaign"]:
            campaign = ask_people(run, report, name=options["campaign"])
            self.note(f'campaign "{campaign.name}": {counted(campaign.pairs.count(), "pair")}')
        return report

    def show(self, result: Abstaining) -> None:
        for one in result.measures:
            if one.undefined:
                self.note(f"{one.by}: {one.undefined}")
        measured = [one for one in result.measures if not one.undefined]
        head = ["surest", *(one.by for one in measured)]
        self.stdout.write(aligned([head, *_coverage_lines(measured)]), ending="")
        self.stdout.write(threshold_sentence(result))
        if result.threshold.threshold is not None and (doubt := doubt_sentence(result.threshold)):
            self.stdout.write(doubt)


def _coverage_lines(measured: list[MeasureOfSureness]) -> list[list[str]]:
    return [
        [f"{row.coverage:.1f}", *(number_cell(one.coverages[at].accuracy.value) for one in measured)]
        for at, row in reversed(list(enumerate(measured[0].coverages)))
    ]
