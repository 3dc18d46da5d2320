"""`runs`: what was judged, and what became of it."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.base import EvenhandCommand
from judging.management.rows_by_name import find_dataset
from judging.management.run_output import RunRow, row_line, run_row
from judging.models import Run


class Command(EvenhandCommand):
    help = "List the runs, the latest first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dataset", metavar="NAME", help="only those of one dataset")
        self.add_json_argument(parser)

    def run(self, options: dict[str, Any]) -> dict[str, list[RunRow]]:
        runs = Run.objects.select_related("dataset", "attribute", "judge")
        if options["dataset"] is not None:
            runs = runs.filter(dataset=find_dataset(options["dataset"]))
        return {"runs": [listed_row(run) for run in runs]}

    def show(self, result: dict[str, list[RunRow]]) -> None:
        for row in result["runs"]:
            self.stdout.write(f"{row['status']:9} {row['dataset']}: {row_line(row)}")


def listed_row(run: Run) -> RunRow:
    return run_row(run) | {
        "dataset": run.dataset.name,
        "status": run.status,
        "planned": run.planned,
        "selection": run.selection,
        "error": run.error,
        "created": run.created_at.isoformat(),
    }
