"""`quality`: how carefully each person voted on a dataset."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.numerics.reliability.rater_flags import QUALITY_FLAGS
from judging.management.rows_by_name import get_attributes, get_dataset
from rankings.management.report_command import ReportCommand
from rankings.quality.judges_against_people import JudgeAgainstPeopleRow
from rankings.quality.quality_report import QualityReport, RaterQualityRow, quality_report
from rankings.tables.text_table import aligned, number_cell

SHARE_COLUMNS = {
    "first, no ties": "left_share",
    "with majority": "agreement",
    "self-consistency": "self_consistency",
    "gold": "gold_accuracy",
    "quick": "quick_share",
    "infit to others": "infit",
    "drift": "drift",
}


class Command(ReportCommand):
    help = "Print how carefully each person voted: sides, agreement, repeats, speed, drift (docs/reference/quality.md)."
    examples = ("quality --dataset LLMBar", "quality --dataset SummEval --attribute coherence --json")

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_dataset_option(parser)
        parser.add_argument("--attribute", metavar="A", help="default: all attributes")

    def run(self, options: dict[str, Any]) -> dict[str, list[QualityReport]]:
        names = [options["attribute"]] if options["attribute"] else []
        dataset = get_dataset(options["dataset"])
        attributes, runs = get_attributes(dataset, names), list(dataset.runs.ordinary().order_by("pk"))
        return {"attributes": [quality_report(one, runs) for one in attributes]}

    def show(self, result: dict[str, list[QualityReport]]) -> None:
        for report in result["attributes"]:
            people = "1 person" if len(report.raters) == 1 else f"{len(report.raters)} people"
            self.stdout.write(f"{report.attribute}: {people}, alpha {number_cell(report.alpha.value)}")
            self.stdout.write(
                aligned([["rater", "votes", *SHARE_COLUMNS, "flags"], *map(_cells, report.raters)]), ending=""
            )
            if report.judges:
                head = ["accuracy on votes", "value", "over contexts", "over people", "over both", "largest change"]
                self.stdout.write(aligned([head, *map(_judge_cells, report.judges)]), ending="")


def _judge_cells(row: JudgeAgainstPeopleRow) -> list[str]:
    figures = (row.accuracy_over_contexts, row.accuracy_over_people, row.accuracy_over_both)
    intervals = [f"{number_cell(one.low)} to {number_cell(one.high)}" for one in figures]
    change = f"{number_cell(row.without.change)} without {row.without.rater}" if row.without else ""
    return [f"{row.name.judge} (run {row.name.run})", number_cell(figures[0].value), *intervals, change]


def _cells(row: RaterQualityRow) -> list[str]:
    shares = [number_cell(getattr(row, name).value) for name in SHARE_COLUMNS.values()]
    flags = "; ".join(QUALITY_FLAGS[flag] for flag in row.flags)
    return [row.rater, str(row.votes), *shares, f"excluded: {row.excluded}" if row.excluded else flags]
