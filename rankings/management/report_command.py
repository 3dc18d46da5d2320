"""The base of the commands that print reports."""

from abc import abstractmethod
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evalsite.cli import BAD_INPUT_STATUS
from evenhand.report_json import as_json
from judging.management.evenhand_command import EvenhandCommand
from rankings.report.left_out import LeftOutParts
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.long_form import LONG_FORMATS, LongForm, long_csv
from rankings.tables.table import Table, TableStyle
from rankings.tables.text_table import text_table

PRINTED_FORMATS = {
    "csv": ("csv", "the table as CSV, in full precision"),
    "latex": ("tex", "the table for a paper, ruled by booktabs"),
    "markdown": ("md", "the table in Markdown"),
    "html": ("html", "the table in HTML"),
}
"""option of a command -> the ending of the format in which it prints a table, and its help."""


class ReportCommand(EvenhandCommand):
    """A command whose `run` returns a report: dataclasses, which `--json` prints as JSON."""

    def add_format_arguments(
        self,
        parser: CommandParser,
        *,
        json: str = "print exactly one JSON document",
        formats: Iterable[str] = ("csv", "latex", "markdown"),
    ) -> None:
        """Add `--json`, with its help, and formats of a table, of PRINTED_FORMATS."""
        kind = parser.add_mutually_exclusive_group()
        kind.add_argument("--json", action="store_true", help=json)
        for name in formats:
            kind.add_argument(f"--{name}", action="store_true", help=PRINTED_FORMATS[name][1])

    def write_table(self, table: Table, style: TableStyle, options: dict[str, Any]) -> None:
        """Print a table in the format of the options, or for people."""
        ending = next((ending for name, (ending, _) in PRINTED_FORMATS.items() if options.get(name)), None)
        text = TABLE_FORMATS[ending].write(table, style) if ending else text_table(table, style)
        self.stdout.write(str(text), ending="")

    def write_left_out(self, without: LeftOutParts | None) -> None:
        """Print what the figures leave out."""
        if without:
            self.stdout.write(f"All figures are {without}.")

    def json_of(self, result: Any) -> object:  # noqa: ANN401 - whatever run() returned
        return as_json(result)


class LongReportCommand(ReportCommand):
    """A command whose report has a long form, one line per figure, for `--long`."""

    is_long = False
    output: Path | None = None
    table_endings: Collection[str] = ()
    """The endings of files that the command writes without `--long`."""

    def add_output_arguments(self, parser: CommandParser) -> None:
        super().add_output_arguments(parser)
        self.add_long_arguments(parser)

    def add_long_arguments(self, parser: CommandParser) -> None:
        """Add `--long` and `--output`."""
        parser.add_argument("--long", action="store_true", help="one line per figure, as CSV; with --json as JSON")
        parser.add_argument(
            "--output",
            type=Path,
            metavar="FILE",
            help="with --long: write a .csv, .jsonl or .parquet file (default: print)",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - Django's signature
        self.is_long, self.output = options.get("long", False), options.get("output")
        if self.output and (problem := self._problem_of(self.output, is_json=bool(options.get("json")))):
            self.fail([f"output: {problem}"], status=BAD_INPUT_STATUS)
        super().handle(*args, **options)

    def _problem_of(self, output: Path, *, is_json: bool) -> str:
        endings = LONG_FORMATS if self.is_long else self.table_endings
        if is_json:
            return "--json prints and writes no file; leave one of the two out"
        if not endings:
            return "only the long form is written to a file; add --long"
        if output.suffix.removeprefix(".") not in endings:
            return f"the name must end in one of: {', '.join(f'.{ending}' for ending in endings)}"
        return "" if output.parent.is_dir() else f'there is no folder "{output.parent}"'

    @abstractmethod
    def long_form_of(self, result: Any) -> LongForm: ...  # noqa: ANN401 - whatever run() returned

    @abstractmethod
    def show_report(self, result: Any) -> None:  # noqa: ANN401 - whatever run() returned
        """Print the report for people."""

    def json_of(self, result: Any) -> object:  # noqa: ANN401 - whatever run() returned
        return {"rows": list(self.long_form_of(result).lines)} if self.is_long else super().json_of(result)

    def show(self, result: Any) -> None:  # noqa: ANN401 - whatever run() returned
        """Print the report for people. With `--long`, write the long form to the output or print it as CSV."""
        if not self.is_long:
            self.show_report(result)
            return
        form = self.long_form_of(result)
        if self.output is None:
            self.stdout.writelines(long_csv(form))
            return
        with self.output.open("wb") as file:
            for part in LONG_FORMATS[self.output.suffix[1:]](form):
                file.write(part.encode() if isinstance(part, str) else part)
