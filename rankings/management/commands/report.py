"""`report`: agreement with people and position bias of the runs of a dataset."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.options import options_of, values_for
from evenhand.refusals import Refused
from judging.management.rows_by_name import get_attributes, get_dataset
from judging.models import Dataset, Run
from judging.web.options import add_option_arguments, options_in_arguments
from rankings.management.report_command import PRINTED_FORMATS, LongReportCommand
from rankings.report.answer_options import ANSWERS, chosen_answers, chosen_style, chosen_table
from rankings.report.long_lines import every_figure_csv, report_long_form
from rankings.report.prompt_means import means_csv, means_long_form, means_over_prompts, table_of_choice
from rankings.report.report_columns import DATASET_COLUMNS
from rankings.report.report_rows import available_processes, report_rows
from rankings.report.report_table import paper_style
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.long_form import LongForm
from rankings.tables.table import TableStyle

ALL_COLUMNS = "all"
LOOKS_OF_TABLE = (*options_of(chosen_table), *options_of(chosen_style))


class Command(LongReportCommand):
    help = "Report on the runs of a dataset: one row per run and subset (figures: docs/reference/report.md)."
    examples = (
        "report --dataset SummEval",
        "report --dataset SummEval --run 7 --run 8 --latex",
        "report --dataset SummEval --long --output figures.parquet",
    )
    takes_json = False

    table_endings = TABLE_FORMATS

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_dataset_option(parser)
        self.add_runs_option(parser)
        parser.add_argument("--attribute", metavar="A", help="name of an attribute (default: all)")
        json = "print exactly one JSON document with every figure"
        self.add_format_arguments(parser, json=json, formats=PRINTED_FORMATS)
        parser.add_argument("--long", action="store_true", help="one line per figure, as CSV; with --json as JSON")
        parser.add_argument(
            "--output",
            type=Path,
            metavar="FILE",
            help="write the table to a .csv, .xlsx, .tex, .md or .html file (default: print)",
        )
        parser.add_argument(
            "--over-prompts",
            action="store_true",
            help="means of every figure over runs that differ in the prompt only, with the standard deviation, as CSV; "
            "with --json next to the rows; the table of means with --latex, --markdown, --html or --output",
        )
        add_option_arguments(parser, ANSWERS.values())
        add_option_arguments(parser.add_argument_group("the table"), LOOKS_OF_TABLE)

    def run(self, options: dict[str, Any]) -> dict[str, list[Any]]:
        self.dataset, self.options = get_dataset(options["dataset"]), options
        if self.is_long and (others := [name for name in ("latex", "markdown", "html") if options[name]]):
            raise Refused(f"long: it is printed as CSV or JSON, or written to a file; leave --{others[0]} out")
        self.has_every_column = options["column"] == [ALL_COLUMNS]
        chosen = options | {"column": None} if self.has_every_column else options
        read = options_in_arguments(chosen, [*ANSWERS.values(), *LOOKS_OF_TABLE])
        self.looks = values_for(chosen_style, read)
        chosen_style(TableStyle(), **self.looks)  # odd looks are refused before a figure is computed
        if not self.dataset.runs.exists():
            self.note(
                f"no runs yet; judge the dataset with: evenhand judge --dataset '{self.dataset.name}' --judge demo"
            )
        self.runs = runs_of(self.dataset, options["runs"])
        if options["attribute"] is not None:
            [attribute] = get_attributes(self.dataset, [options["attribute"]])
            self.runs = [run for run in self.runs if run.attribute_id == attribute.pk]
        rows = report_rows(
            self.dataset,
            runs=self.runs,
            choice=chosen_answers(**values_for(chosen_answers, read)),
            use_cache=False,
            processes=available_processes(),
        )
        self.choice = chosen_table(rows, DATASET_COLUMNS, options["over_prompts"], **values_for(chosen_table, read))
        if not options["over_prompts"]:
            return {"rows": rows}
        return {"rows": rows, "means": means_over_prompts(self.runs, rows)}

    def long_form_of(self, result: dict[str, list[Any]]) -> LongForm:
        return means_long_form(result["means"]) if "means" in result else report_long_form(result["rows"])

    def show_report(self, result: dict[str, list[Any]]) -> None:
        rows, options = result["rows"], self.options
        is_csv = not any(options[name] for name in PRINTED_FORMATS if name != "csv")
        if "means" in result and not self.output and is_csv:
            self.stdout.write(means_csv(result["means"]), ending="")
            return
        if self.has_every_column and options["csv"]:
            self.stdout.write(every_figure_csv(rows), ending="")
            return
        table = table_of_choice(rows, self.choice, runs=self.runs)
        style = chosen_style(paper_style(table, self.dataset), **self.looks)
        if self.output:
            content = TABLE_FORMATS[self.output.suffix[1:]].write(table, style)
            self.output.write_bytes(content.encode() if isinstance(content, str) else content)
            return
        self.write_table(table, style, options)


def runs_of(dataset: Dataset, wanted: list[int]) -> list[Run]:
    """Return the named runs of a dataset; if none is named, all for reports.

    Raises Refused for unknown runs.
    """
    runs = {run.pk: run for run in dataset.runs.order_by("pk")}
    known = ", ".join(map(str, runs)) or "none yet"
    if unknown := [pk for pk in wanted if pk not in runs]:
        raise Refused(*(f'run: "{dataset.name}" has no run {pk}; there are: {known}' for pk in unknown))
    ordinary = [pk for pk, run in runs.items() if not (run.added_sentence or run.asks_null_pairs)]
    return [runs[pk] for pk in dict.fromkeys(wanted or ordinary)]
