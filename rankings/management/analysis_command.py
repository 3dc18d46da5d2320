"""The command of any analysis."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from evenhand.refusals import Refused
from judging.management.command_files import read_source_files
from judging.management.rows_by_name import get_dataset, get_run
from judging.models import Dataset, Run
from judging.web.options import add_option_arguments
from rankings.analyses.record import Action, Analysis, Passages, Sentence, TitledTable
from rankings.management.report_command import LongReportCommand
from rankings.tables.long_form import LongForm
from rankings.tables.table import TableStyle
from rankings.tables.text_table import aligned


class AnalysisCommand(LongReportCommand):
    """Prints the report of one analysis."""

    def __init__(self, analysis: Analysis, **settings: Any) -> None:  # noqa: ANN401 - Django's
        super().__init__(**settings)
        self.analysis = analysis
        self.help = f"{self.analysis.summary} (docs/reference/{self.analysis.reference.partition('/')[0]}.md)"
        self.examples = self.analysis.examples

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_run_argument(parser) if self.analysis.of == "run" else None
        if self.analysis.of_files:
            parser.add_argument(
                "files", nargs="*", type=Path, metavar="FILE", help="files to read; they are not stored"
            )
        if self.analysis.of == "dataset":
            self.add_dataset_option(parser, required=not self.analysis.of_files)
        if self.analysis.more_runs:
            parser.add_argument("more_runs", nargs="*", type=int, metavar="RUN", help="further runs, in this order")
        for one in self.analysis.two_runs:
            parser.add_argument(one.name, type=int, metavar=one.name.upper(), help=f"number of the {one.title.lower()}")
        add_option_arguments(parser, self.analysis.options)

    def add_output_arguments(self, parser: CommandParser) -> None:
        self.add_format_arguments(parser)
        if self.analysis.long_form:
            self.add_long_arguments(parser)

    def run(self, options: dict[str, Any]) -> object:
        self.chosen = options
        if self.is_long and (others := [name for name in ("csv", "latex", "markdown") if options[name]]):
            raise Refused(f"long: it is printed as CSV or JSON, or written to a file; leave --{others[0]} out")
        values = {option.name: options[option.name] for option in self.analysis.options}
        if further := options.get("more_runs"):
            values[self.analysis.more_runs] = [*further, *(values[self.analysis.more_runs] or ())]
        with transaction.atomic():
            report = self.analysis.answer(*self.rows(options), values=values, runs=Run.objects.all())
            transaction.set_rollback(bool(options.get("files")))  # a dataset of files is stored for this time only
        for caution in self.analysis.cautions(report):
            self.note(caution)
        return report

    def long_form_of(self, result: Any) -> LongForm:  # noqa: ANN401 - a report
        assert self.analysis.long_form
        return self.analysis.long_form(result)

    def rows(self, options: dict[str, Any]) -> Sequence[Run | Dataset]:
        """Return the dataset or the runs that are asked about. A dataset of files is stored."""
        files, name = options.get("files"), options.get("dataset")
        if self.analysis.of_files and bool(files) == bool(name):
            raise Refused("dataset: give files to read, or --dataset NAME" + (", not both" if name else ""))
        if self.analysis.of_files and files:
            return [self.analysis.of_files(read_source_files(files))]
        if self.analysis.of == "dataset":
            return [get_dataset(options["dataset"])]
        names = [one.name for one in self.analysis.two_runs] or ["run"]
        return [get_run(options[name]) for name in names]

    def status_of(self, result: Any) -> int:  # noqa: ANN401 - a report
        return self.analysis.status(result)

    def show_report(self, result: Any) -> None:  # noqa: ANN401 - a report
        """Print the sentences and the tables; in a format for papers and programs, the tables alone."""
        is_for_people = not any(self.chosen.get(name) for name in ("csv", "latex", "markdown"))
        if is_for_people:
            self.write_left_out(getattr(result, "without", None))
        for block in self.analysis.blocks(result):
            if isinstance(block, TitledTable):
                if is_for_people and (block.has_heading or block.is_folded):
                    self.stdout.write(f"\n{block.label}")
                self.write_table(block.table, TableStyle(caption=block.label), self.chosen)
            elif isinstance(block, Passages) and is_for_people:
                lines = [[*one.names, " ".join(one.marked.split())] for one in block.passages]
                self.stdout.write(aligned([[*block.titles, block.label], *lines]), ending="")
            elif isinstance(block, Sentence | Action) and is_for_people:
                self.stdout.write(block.text)
