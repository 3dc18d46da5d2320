"""`export_votes`: write the votes of a dataset to a file."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from judging.management.command_files import replace_when_complete
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_dataset
from judging.services.campaigns.answer_history import HISTORY_COLUMNS, HISTORY_NUMBERS, history_rows
from judging.services.datasets.vote_records import VOTE_NUMBERS, vote_columns, vote_rows
from judging.services.exports.file_writers import writer_for
from judging.units import counted


class Command(EvenhandCommand):
    help = "Write the votes of a dataset as CSV, JSON Lines or Parquet, by the ending of the file."
    examples = (
        "export_votes --dataset SummEval --output votes.csv",
        "export_votes --dataset SummEval --output votes.parquet",
        "export_votes --dataset SummEval --history --output history.csv",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_dataset_option(parser)
        parser.add_argument("--output", required=True, type=Path, metavar="FILE", help=".csv, .jsonl or .parquet")
        parser.add_argument(
            "--history", action="store_true", help="write every vote, change, skip and undo of campaigns, one a row"
        )

    def run(self, options: dict[str, Any]) -> tuple[int, Path, str]:
        dataset, output = get_dataset(options["dataset"]), options["output"]
        if options["history"]:
            rows, columns, numbers = history_rows(dataset), HISTORY_COLUMNS, HISTORY_NUMBERS
        else:
            rows, columns, numbers = vote_rows(dataset), vote_columns(dataset), VOTE_NUMBERS
        write = writer_for(output.suffix, columns=columns, numbers=numbers)
        with replace_when_complete(output) as part:
            return write(rows, part), output, "action" if options["history"] else "vote"

    def show(self, result: tuple[int, Path, str]) -> None:
        number, output, noun = result
        self.stdout.write(f"{counted(number, noun)} written to {output}")
