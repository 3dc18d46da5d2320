"""`import_dataset`: store the files of one dataset under a name."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.units import counted
from judging.management.command_files import find_ignored_files, read_source_files
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_researcher
from judging.services.datasets.stored_dataset import dataset_counts
from judging.web.operations.new_datasets import DATASET_OPTIONS, describe_files, import_files
from judging.web.options import add_option_arguments


class Command(EvenhandCommand):
    help = "Store a dataset, all of it or nothing. Lists every problem of the files."
    examples = (
        "import_dataset summeval.jsonl --name SummEval --owner rita",
        "import_dataset answers.csv --dry-run",
        "import_dataset systems.csv --name Systems --layout wide --attribute coherence",
        "import_dataset answers.csv --name Answers --layout pairs --map context_text=prompt "
        "--map text_first=answer_a --map text_second=answer_b --map choice=winner --choice first=A --choice second=B",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            nargs="+",
            type=Path,
            metavar="FILE",
            help="the files of the dataset, ZIP archives or folders of them (docs/reference/formats.md)",
        )
        add_option_arguments(parser, DATASET_OPTIONS, is_once_each=True)
        parser.add_argument(
            "--owner", metavar="USERNAME", help="the researcher who may share and delete it; default: only admins may"
        )
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="print as JSON what would be read, with guessed columns; store nothing",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        files = read_source_files(options["files"])
        if ignored := find_ignored_files(options["files"]):
            self.note(f"these files are no tables and are ignored: {', '.join(ignored)}")
        owner = get_researcher(options["owner"]) if options["owner"] else None
        values = {option.name: options[option.name] for option in DATASET_OPTIONS}
        if options["dry_run"]:
            self.prints_json = True
            return describe_files(files, values, owner=owner, user=None)
        imported = import_files(files, values, owner=owner, user=None)
        for warning in imported.warnings:
            self.note(warning)
        if owner is None and not values["visibility"]:
            self.note("all researchers see this dataset; give --owner NAME to make it private")
        return {"dataset": imported.dataset.name, **dataset_counts(imported.dataset)}

    def show(self, result: dict[str, Any]) -> None:
        nouns = {"contexts": "context", "candidates": "candidate", "scores": "human score", "votes": "vote"}
        numbers = ", ".join(counted(result[name], noun) for name, noun in nouns.items())
        self.stdout.write(f"{result['dataset']}: {numbers}; attributes: {', '.join(result['attributes'])}")
