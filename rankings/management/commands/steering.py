"""`steering`: texts of a dataset that may steer a judge."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.rows_by_name import get_dataset
from judging.models import Run
from rankings.management.report_command import ReportCommand
from rankings.steering.steering_page import steering_sentence
from rankings.steering.steering_report import SteeringReport, SteeringText, run_of_dataset, steering_report
from rankings.tables.text_table import aligned


class Command(ReportCommand):
    help = (
        "Print texts with label words, verdicts or instructions to a judge, with their counts by pattern and system "
        "(docs/reference/steering.md)."
    )
    examples = ("steering --dataset SummEval", "steering --dataset LLMBar --run 7 --pattern score --json")

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_dataset_option(parser)
        parser.add_argument("--run", type=int, metavar="R", help="only texts that this run asked about")
        parser.add_argument("--pattern", default="", metavar="P", help="list only matches of this pattern")
        parser.add_argument("--system", default="", metavar="S", help="list only matches in texts of this system")

    def run(self, options: dict[str, Any]) -> SteeringReport:
        dataset = get_dataset(options["dataset"])
        run = run_of_dataset(Run.objects.all(), dataset, options["run"])
        return steering_report(dataset, run=run, pattern=options["pattern"], system=options["system"])

    def show(self, result: SteeringReport) -> None:
        self.stdout.write(steering_sentence(result))
        if not result.matched:
            return
        patterns = [[one.pattern, one.kind_title, str(one.texts)] for one in result.patterns if one.texts]
        self.stdout.write(aligned([["pattern", "kind", "texts"], *patterns]), ending="")
        systems = [[one.system, str(one.matched), str(one.texts)] for one in result.systems if one.system]
        if systems:
            self.stdout.write(aligned([["system", "matched", "texts"], *systems]), ending="")
        head = ["context", "candidate", "system", "pattern", "from", "to", "matched"]
        self.stdout.write(aligned([head, *map(_cells, result.matches)]), ending="")


def _cells(match: SteeringText) -> list[str]:
    one_line = " ".join(match.matched.split())
    names = [match.context, match.candidate, match.system, match.pattern]
    return [*names, str(match.start), str(match.end), one_line]
