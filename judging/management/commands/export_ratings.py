"""`export_ratings`: write the ratings of a dataset to a file."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.units import counted
from judging.management.command_files import replace_when_complete
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_dataset
from judging.services.datasets.every_rating import RATING_COLUMNS, RATING_NUMBERS, every_rating
from judging.services.exports.file_writers import writer_for


class Command(EvenhandCommand):
    help = "Write the ratings of a dataset, one a row, as CSV, JSON Lines or Parquet, by the ending of the file."
    examples = (
        "export_ratings --dataset SummEval --output ratings.csv",
        "export_ratings --dataset SummEval --skips --output ratings.parquet",
    )
    takes_json = False

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_dataset_option(parser)
        parser.add_argument("--output", required=True, type=Path, metavar="FILE", help=".csv, .jsonl or .parquet")
        parser.add_argument("--skips", action="store_true", help="add the skipped texts as rows with their reasons")

    def run(self, options: dict[str, Any]) -> tuple[int, Path]:
        dataset, output = get_dataset(options["dataset"]), options["output"]
        write = writer_for(output.suffix, columns=RATING_COLUMNS, numbers=RATING_NUMBERS)
        with replace_when_complete(output) as part:
            return write(every_rating(dataset, skips=options["skips"]), part), output

    def show(self, result: tuple[int, Path]) -> None:
        number, output = result
        self.stdout.write(f"{counted(number, 'row')} written to {output}")
