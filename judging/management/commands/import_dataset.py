"""`import_dataset`: store the files of one dataset under a name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.file_problems import InvalidFile
from evenhand.formats import (
    DATASET_FORMATS,
    DATASET_LAYOUTS,
    MAX_FILE_BYTES,
    MEANINGS,
    SourceFile,
    TableMapping,
    hash_files,
    read_dataset,
)
from evenhand.refusals import Refused
from judging.management.command_files import find_ignored_files, read_source_files
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_dataset, get_researcher
from judging.models import Visibility
from judging.services.datasets.dataset_import import import_dataset, import_warnings, name_problems
from judging.services.datasets.named_attributes import with_attributes
from judging.services.datasets.stored_dataset import dataset_counts
from judging.services.datasets.table_mappings import choose_mapping, describe_reading, read_or_guess


class Command(EvenhandCommand):
    help = "Store a dataset, all of it or nothing. Lists every problem of the files."
    examples = (
        "import_dataset summeval.jsonl --name SummEval",
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
        parser.add_argument("--name", metavar="NAME", help="a name that no other dataset has")
        parser.add_argument(
            "--format", help=f"one of {', '.join(DATASET_FORMATS)}; default: recognised from the content of the files"
        )
        parser.add_argument(
            "--layout",
            default="",
            help=f"layout of a table with columns of your own: one of {', '.join(DATASET_LAYOUTS)}; "
            "without --map, the columns are guessed",
        )
        parser.add_argument(
            "--map", action="append", default=[], metavar="FIELD=COLUMN", help="the column of a field of the layout"
        )
        parser.add_argument(
            "--choice",
            action="append",
            default=[],
            metavar="MEANING=VALUE",
            help=f"a value in the column of choices, with its meaning: {', '.join(MEANINGS)}; or a word in place of a "
            "score, with its number: 5=Excellent",
        )
        parser.add_argument(
            "--attribute",
            action="append",
            default=[],
            metavar="NAME",
            help="a further attribute to judge, for a dataset without human scores; repeat for several",
        )
        parser.add_argument(
            "--owner", metavar="USERNAME", help="the researcher who may share and delete it; default: only admins may"
        )
        parser.add_argument(
            "--private", action="store_true", help="visible to its owner and admins; default: to all researchers"
        )
        parser.add_argument("--mapping-of", metavar="DATASET", help="use the mapping of an earlier dataset again")
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="print as JSON what would be read, with guessed columns; store nothing",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        files = read_source_files(options["files"])
        if ignored := find_ignored_files(options["files"]):
            self.note(f"these files are no tables and are ignored: {', '.join(ignored)}")
        if options["dry_run"]:
            self.prints_json = True
            return self._dry_run(files, options)
        owner = get_researcher(options["owner"]) if options["owner"] else None
        if options["private"] and owner is None:
            raise Refused("--private: expected an owner too, for example --owner rita")
        problems = name_problems(options["name"] or "")
        try:
            mapping = self._choose_mapping(files, options)
            record = with_attributes(read_dataset(files, options["format"], mapping=mapping), options["attribute"])
        except (InvalidFile, Refused) as invalid:  # with the problems of the name, so that all are reported together
            raise Refused(*problems, *map(str, invalid.problems)) from invalid
        dataset = import_dataset(
            record,
            name=options["name"] or "",
            sha256=hash_files(files),
            owner=owner,
            visibility=Visibility.PRIVATE if options["private"] else Visibility.OPEN,
        )
        for warning in import_warnings(record):
            self.note(warning)
        return {"dataset": dataset.name, **dataset_counts(dataset)}

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(
            f"{result['dataset']}: {result['contexts']} contexts, {result['candidates']} candidates, "
            f"{result['scores']} human scores, {result['votes']} votes; attributes: {', '.join(result['attributes'])}"
        )

    def _dry_run(self, files: Sequence[SourceFile], options: dict[str, Any]) -> dict[str, Any]:
        mapping = self._choose_mapping(files, options)
        return describe_reading(read_or_guess(files, options["format"], mapping, max_bytes=MAX_FILE_BYTES))

    def _choose_mapping(self, files: Sequence[SourceFile], options: dict[str, Any]) -> TableMapping | None:
        mapping = choose_mapping(
            files,
            layout=options["layout"],
            columns=options["map"],
            choices=options["choice"],
            saved=get_dataset(options["mapping_of"]) if options["mapping_of"] else None,
        )
        if mapping and not options["map"] and not options["mapping_of"]:
            self.note(f"columns guessed from their names and values; all others are ignored: {mapping.options()}")
        return mapping
