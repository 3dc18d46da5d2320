"""What the two commands that bring in recorded judgments share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser

from judging.exceptions import Refused
from judging.formats import InvalidFile, Problem
from judging.management.base import EvenhandCommand
from judging.management.command_files import read_files
from judging.management.rows_by_name import find_dataset
from judging.management.run_output import RunRow, row_line, run_row


class ImportCommand(EvenhandCommand):
    """A command that reads files and stores runs. Subclasses name what reads and what stores."""

    read: ClassVar[Callable[..., Any]]
    store: ClassVar[Callable[..., Any]]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--dataset", required=True, metavar="NAME")
        parser.add_argument("--judge", required=True, metavar="NAME", help="the name under which they are reported")
        self.add_json_argument(parser)

    def run(self, options: dict[str, Any]) -> dict[str, list[RunRow]]:
        files = read_files(options["files"])
        problems: Sequence[Problem] = ()
        try:
            records = self.read(files)
        except InvalidFile as invalid:  # what only the dataset tells is told in the same go
            records, problems = invalid.records, invalid.problems
        try:
            dataset = find_dataset(options["dataset"])
        except Refused as refusal:
            raise Refused(*refusal.problems, *map(str, problems)) from refusal
        runs = self.store(records, dataset=dataset, judge_name=options["judge"], problems=problems)
        return {"runs": [run_row(run) for run in runs]}

    def show(self, result: dict[str, list[RunRow]]) -> None:
        for row in result["runs"]:
            self.stdout.write(row_line(row))
