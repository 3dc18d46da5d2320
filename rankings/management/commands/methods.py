"""`methods`: a methods paragraph and BibTeX of the runs of a dataset."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.options import values_for
from evenhand.refusals import Refused
from judging.management.rows_by_name import get_dataset
from judging.web.options import add_option_arguments, options_in_arguments
from rankings.citations.api import METHODS_OPTIONS
from rankings.citations.methods_text import MethodsText, methods_text
from rankings.management.commands.report import runs_of
from rankings.management.report_command import ReportCommand
from rankings.report.answer_options import chosen_answers
from rankings.report.report_rows import available_processes, report_rows


class Command(ReportCommand):
    help = "Print a methods paragraph for a paper, and BibTeX of the methods and tools that the runs used."
    examples = (
        "methods --dataset SummEval",
        "methods --dataset SummEval --run 7 --run 8 --latex",
        "methods --dataset SummEval --order given --without-system M0",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_dataset_option(parser)
        self.add_runs_option(parser)
        add_option_arguments(parser, METHODS_OPTIONS)
        parser.add_argument("--latex", action="store_true", help="write the paragraph in LaTeX instead of Markdown")

    def run(self, options: dict[str, Any]) -> MethodsText:
        self.is_latex = options["latex"]
        dataset = get_dataset(options["dataset"])
        runs = runs_of(dataset, options["runs"])
        read = options_in_arguments(options, METHODS_OPTIONS)
        choice = chosen_answers(**values_for(chosen_answers, read))
        rows = report_rows(dataset, runs=runs, choice=choice, use_cache=False, processes=available_processes())
        if not rows:
            raise Refused(f'run: "{dataset.name}" has no run with an answer yet')
        return methods_text(dataset, runs, rows, ranking=read["ranking"])

    def show(self, result: MethodsText) -> None:
        self.stdout.write(f"{result.latex if self.is_latex else result.markdown}\n\n{result.bibtex}", ending="")
