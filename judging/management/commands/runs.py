"""`runs`: list the runs with their status."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_dataset
from judging.management.run_rows import RunRow, describe_run, make_run_row
from judging.models import Run


class Command(EvenhandCommand):
    help = "List the runs, the latest first."
    examples = (
        "runs --dataset SummEval",
        "runs --json",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dataset", metavar="NAME", help="only the runs on one dataset (default: all)")

    def run(self, options: dict[str, Any]) -> dict[str, list[RunRow]]:
        runs = Run.objects.select_related("dataset", "attribute", "judge")
        if options["dataset"] is not None:
            runs = runs.filter(dataset=get_dataset(options["dataset"]))
        return {"runs": [_make_listed_row(run) for run in runs]}

    def show(self, result: dict[str, list[RunRow]]) -> None:
        for row in result["runs"]:
            self.stdout.write(f"{row['status']:9} {row['dataset']}: {describe_run(row)}")


def _make_listed_row(run: Run) -> RunRow:
    return make_run_row(run) | {
        "dataset": run.dataset.name,
        "status": run.status,
        "planned": run.planned,
        "selection": run.selection_name,
        **run.exclusion.spec(),
        "error": run.error,
        "created": run.created_at.isoformat(),
    }
