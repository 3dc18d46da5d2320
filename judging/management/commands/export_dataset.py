"""`export_dataset`: write a dataset as JSON Lines, which `import_dataset` reads."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.formats import write_dataset
from judging.management.command_files import replace_when_complete
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_dataset
from judging.services.datasets.stored_dataset import dataset_record


class Command(EvenhandCommand):
    help = "Write a dataset with its human scores, ratings and votes as JSON Lines."
    examples = (
        "export_dataset SummEval --output summeval.jsonl",
        "export_dataset Sample --output sample.jsonl",
    )
    takes_json = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the dataset")
        parser.add_argument(
            "--output",
            required=True,
            type=Path,
            metavar="FILE",
            help="file to write; an old one is replaced once the new one is complete",
        )

    def run(self, options: dict[str, Any]) -> Path:
        record = dataset_record(get_dataset(options["name"]))
        with replace_when_complete(options["output"]) as part, part.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(write_dataset(record))
        return options["output"]

    def show(self, result: Path) -> None:
        self.stdout.write(f"written: {result}")
