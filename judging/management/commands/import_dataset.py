"""`manage.py import_dataset`: files of one dataset, stored under a name."""

from hashlib import sha256
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from judging.exceptions import Refused
from judging.formats import DATASET_FORMATS, InvalidFile, read_dataset
from judging.management.base import EvenhandCommand
from judging.management.command_files import read_files
from judging.services.datasets.dataset_import import counts, import_dataset, import_warnings, name_problems


class Command(EvenhandCommand):
    help = "Store a dataset, all of it or nothing. Every problem of the files is listed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--name", required=True, help="a name that no other dataset has")
        parser.add_argument(
            "--format", help=f"one of {', '.join(DATASET_FORMATS)}; left out, recognised from the files' content"
        )
        self.add_json_argument(parser)

    def run(self, options: dict[str, Any]) -> dict[str, object]:
        files = read_files(options["files"])
        try:
            record = read_dataset(files, options["format"])
        except InvalidFile as invalid:  # the name's problems are told in the same go
            raise Refused(*name_problems(options["name"]), *map(str, invalid.problems)) from invalid
        digest = sha256(b"".join(file.content for file in files)).hexdigest()
        dataset = import_dataset(record, name=options["name"], sha256=digest)
        for warning in import_warnings(record):
            self.note(warning)
        return {"dataset": dataset.name, **counts(dataset)}

    def show(self, result: dict[str, Any]) -> None:
        self.stdout.write(
            f"{result['dataset']}: {result['contexts']} contexts, {result['candidates']} candidates, "
            f"{result['scores']} human scores, {result['votes']} votes; attributes: {', '.join(result['attributes'])}"
        )
