"""`quality`: how carefully each person voted on a dataset."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_attributes, get_dataset
from rankings.numerics.reliability.rater_quality import QUALITY_FLAGS
from rankings.quality.quality_report import QualityReport, RaterQualityRow, quality_report
from rankings.report.report_json import as_json
from rankings.tables.text_table import aligned, number_cell

SHARE_COLUMNS = {
    "left": "left_share",
    "agreement": "agreement",
    "self-consistency": "self_consistency",
    "quick": "quick_share",
    "infit": "infit",
    "drift": "drift",
}


class Command(EvenhandCommand):
    help = "Print how carefully each person voted: sides, agreement, repeats, speed, drift (docs/reference/quality.md)."
    examples = ("quality --dataset LLMBar", "quality --dataset SummEval --attribute coherence --json")

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_dataset_option(parser)
        parser.add_argument("--attribute", metavar="A", help="default: all attributes")
        self.add_json_argument(parser)

    def run(self, options: dict[str, Any]) -> dict[str, list[QualityReport]]:
        names = [options["attribute"]] if options["attribute"] else []
        return {"attributes": [quality_report(one) for one in get_attributes(get_dataset(options["dataset"]), names)]}

    def json_of(self, result: Any) -> object:  # noqa: ANN401 - as in the base
        return as_json(result)

    def show(self, result: dict[str, list[QualityReport]]) -> None:
        for report in result["attributes"]:
            self.stdout.write(
                f"{report.attribute}: {len(report.raters)} people, alpha {number_cell(report.alpha.value)}"
            )
            self.stdout.write(
                aligned([["rater", "votes", *SHARE_COLUMNS, "flags"], *map(_cells, report.raters)]), ending=""
            )


def _cells(row: RaterQualityRow) -> list[str]:
    shares = [number_cell(getattr(row, name).value) for name in SHARE_COLUMNS.values()]
    flags = "; ".join(QUALITY_FLAGS[flag] for flag in row.flags)
    return [row.rater, str(row.votes), *shares, f"excluded: {row.excluded}" if row.excluded else flags]
