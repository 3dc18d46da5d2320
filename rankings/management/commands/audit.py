"""`audit`: people's marks on the explanations of wrong verdicts."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.numerics import Figure
from judging.management.rows_by_name import get_run
from judging.web.options import add_option_arguments, options_in_arguments
from rankings.audits.audit_report import AUDIT_MARKS, AuditReport, audit_long_form, audit_report
from rankings.management.report_command import LongReportCommand
from rankings.report.answer_options import ANSWERS, LEFT_OUT, chosen_answers
from rankings.tables.long_form import LongForm
from rankings.tables.text_table import aligned, number_cell


class Command(LongReportCommand):
    help = "Print the share of a run's wrong verdicts whose explanation identifies the flaw, by people's marks."
    examples = (
        "audit 7",
        "audit 7 --json",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_run_argument(parser)
        add_option_arguments(parser, [ANSWERS[name] for name in LEFT_OUT])

    def run(self, options: dict[str, Any]) -> AuditReport:
        left_out = options_in_arguments(options, [ANSWERS[name] for name in LEFT_OUT])
        return audit_report(get_run(options["run"]), exclusion=chosen_answers(**left_out).exclusion)

    def long_form_of(self, result: AuditReport) -> LongForm:
        return audit_long_form(result)

    def show_report(self, result: AuditReport) -> None:
        self.write_left_out(result.without)
        self.stdout.write(f"{result.explained} wrong verdicts with an explanation, {result.marked} marked")
        figures = ("named", "agreement", "krippendorff_alpha")
        lines = [_figure_line(name.replace("_", " "), getattr(result, name)) for name in figures]
        self.stdout.write(aligned([["", "value", "low", "high", "n", ""], *lines]), ending="")
        raters = [[rater.rater, *(str(getattr(rater, mark)) for mark in AUDIT_MARKS)] for rater in result.raters]
        self.stdout.write(aligned([["rater", *AUDIT_MARKS], *raters]), ending="")


def _figure_line(title: str, figure: Figure) -> list[str]:
    numbers = map(number_cell, (figure.value, figure.low, figure.high))
    return [title, *numbers, "-" if figure.n is None else str(figure.n), figure.undefined or ""]
