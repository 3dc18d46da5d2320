"""`verify_report`: compute a frozen report again, and list what differs."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from judging.management.command_files import read_source_files
from judging.management.evenhand_command import EvenhandCommand
from rankings.frozen.report_file import data_in
from rankings.frozen.verification import Verification, verify
from rankings.report.report_json import as_json

DIFFERS_STATUS = 1


class Command(EvenhandCommand):
    help = (
        "Compute every number of a frozen report again, and list what differs. The exit status is 1 if anything does."
    )
    examples = ("verify_report llmbar.html", "verify_report llmbar.html --json")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="the HTML file of the report")
        self.add_json_argument(parser)

    def run(self, options: dict[str, Any]) -> Verification:
        [file] = read_source_files([options["file"]])
        return verify(data_in(Path(file.name).read_text(encoding="utf-8")))

    def json_of(self, result: Verification) -> object:
        return as_json(result)

    def status_of(self, result: Verification) -> int:
        return 0 if result.same else DIFFERS_STATUS

    def show(self, result: Verification) -> None:
        for change in result.changes:
            self.stdout.write(str(change))
        verdict = "All are the same." if result.same else f"{len(result.changes)} differ."
        self.stdout.write(f"{result.figures} figures of {result.runs} runs computed again. {verdict}")
