"""`verify_report`: make a frozen report again, and list what differs."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.refusals import Refused
from evenhand.units import counted
from judging.management.command_files import read_source_files
from rankings.frozen.verification import Verification, verify
from rankings.management.report_command import ReportCommand

DIFFERS_STATUS, FIGURES_STATUS = 1, 3
MOST_SHOWN = 20


class Command(ReportCommand):
    help = (
        "Make a frozen report again from the data of this installation, compare every byte, and list what differs. "
        "The exit status is 0 if nothing differs, 1 if anything does, and 3 if only the figures could be compared, "
        "because the report was made with other versions."
    )
    examples = ("verify_report llmbar.html", "verify_report llmbar.html --json")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="the HTML file of the report")

    def run(self, options: dict[str, Any]) -> Verification:
        [file] = read_source_files([options["file"]])
        try:
            return verify(Path(file.name).read_bytes().decode())
        except UnicodeDecodeError as error:
            raise Refused(f"file: this is no report of Evenhand; it is not UTF-8: {error}") from error

    def status_of(self, result: Verification) -> int:
        return DIFFERS_STATUS if result.changes else FIGURES_STATUS if result.other_versions else 0

    def show(self, result: Verification) -> None:
        for change in result.changes[:MOST_SHOWN]:
            self.stdout.write(str(change))
        if result.changes:
            self.stdout.write(f"{counted(len(result.changes), 'difference')}.")
        elif result.other_versions:
            self.stdout.write("All figures and their names are the same.")
        else:
            self.stdout.write("Every byte of the file is what this installation makes of its data.")
        if result.other_versions:
            versions = "; ".join(map(str, result.other_versions))
            self.stdout.write(f"Texts and layout were not compared, because versions differ: {versions}.")
