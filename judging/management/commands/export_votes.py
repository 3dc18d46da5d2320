"""`export_votes`: write the votes of a dataset to a file."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.refusals import Refused
from evenhand.units import counted
from judging.management.command_files import replace_when_complete
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_dataset
from judging.models import Run
from judging.services.campaigns.answer_history import HISTORY_COLUMNS, HISTORY_NUMBERS, history_rows
from judging.services.datasets.every_vote import EVERY_VOTE_COLUMNS, EVERY_VOTE_NUMBERS, every_vote
from judging.services.datasets.vote_records import VOTE_NUMBERS, vote_columns, vote_rows
from judging.services.exports.file_writers import writer_for


class Command(EvenhandCommand):
    help = "Write the votes of a dataset, one a row, as CSV, JSON Lines or Parquet, by the ending of the file."
    examples = (
        "export_votes --dataset SummEval --output votes.csv",
        "export_votes --dataset SummEval --output votes.parquet",
        "export_votes --dataset SummEval --judges --skips --output everything.parquet",
        "export_votes --dataset SummEval --history --output history.csv",
    )
    takes_json = False

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_dataset_option(parser)
        parser.add_argument("--output", required=True, type=Path, metavar="FILE", help=".csv, .jsonl or .parquet")
        parser.add_argument(
            "--judges", action="store_true", help="add the answers of judges as rows with the same columns"
        )
        parser.add_argument("--skips", action="store_true", help="add the skipped pairs as rows with their reasons")
        parser.add_argument(
            "--history", action="store_true", help="write every vote, change, skip and undo of campaigns, one a row"
        )

    def run(self, options: dict[str, Any]) -> tuple[int, Path, str]:
        dataset, output = get_dataset(options["dataset"]), options["output"]
        judges, skips = options["judges"], options["skips"]
        if options["history"] and (judges or skips):
            raise Refused("history: has rows of its own — leave out --judges and --skips")
        rows: Iterator[dict[str, Any]]
        columns: Sequence[str]
        if options["history"]:
            rows, columns, numbers, noun = history_rows(dataset), HISTORY_COLUMNS, HISTORY_NUMBERS, "action"
        elif judges or skips:
            rows = every_vote(dataset, Run.objects.select_related("attribute", "judge"), judges=judges, skips=skips)
            columns, numbers, noun = EVERY_VOTE_COLUMNS, EVERY_VOTE_NUMBERS, "row"
        else:
            rows, columns, numbers, noun = vote_rows(dataset), vote_columns(dataset), VOTE_NUMBERS, "vote"
        write = writer_for(output.suffix, columns=columns, numbers=numbers)
        with replace_when_complete(output) as part:
            return write(rows, part), output, noun

    def show(self, result: tuple[int, Path, str]) -> None:
        number, output, noun = result
        self.stdout.write(f"{counted(number, noun)} written to {output}")
