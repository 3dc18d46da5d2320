"""`compare`: differences between two or more runs on the same pairs."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from evenhand.numerics import Figure
from judging.management.rows_by_name import get_run
from rankings.compare.all_runs import compare_all
from rankings.compare.comparison_of_runs import AllCompared, FigureDifference, PairDifference, RunsCompared
from rankings.compare.long_lines import compared_long_form
from rankings.compare.two_runs import compare_runs
from rankings.management.report_command import LongReportCommand
from rankings.report.run_names import RunName
from rankings.tables.long_form import LongForm
from rankings.tables.text_table import aligned, number_cell

FIELDS = (
    "figure",
    "ranking",
    "one",
    "other",
    "difference",
    "low",
    "high",
    "noise_floor",
    "p_value",
    "p_value_holm",
    "perm_both",
)
PAIR_COLUMNS = {
    "difference": "difference",
    "low": "low",
    "high": "high",
    "p_value": "p_value",
    "p_value_holm": "holm",
    "p_value_benjamini_hochberg": "benjamini-hochberg",
    "perm_both": "perm-both",
}


class Command(LongReportCommand):
    help = "Print the differences of runs on the pairs that both runs answered, with intervals and p-values."
    examples = (
        "compare 7 8",
        "compare 7 8 9 10 --json",
        "compare 7 8 --without-system M0 --long --output differences.csv",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "runs", nargs="+", type=int, metavar="RUN", help="two runs, or up to 60 for all pairwise differences"
        )
        self.add_order_argument(parser)

    def run(self, options: dict[str, Any]) -> RunsCompared | AllCompared:
        runs = [get_run(pk) for pk in options["runs"]]
        choice = self.answers_of(options)
        return compare_runs(*runs, choice=choice) if len(runs) == 2 else compare_all(runs, choice=choice)

    def long_form_of(self, result: RunsCompared | AllCompared) -> LongForm:
        return compared_long_form(result)

    def show_report(self, result: RunsCompared | AllCompared) -> None:
        self.write_left_out(result.without)
        lines = lines_of_all(result) if isinstance(result, AllCompared) else lines_of_two(result)
        self.stdout.write("\n".join(lines), ending="")


def lines_of_two(result: RunsCompared) -> Iterator[str]:
    yield f"one: {title(result.one.name)}"
    yield f"other: {title(result.other.name)}"
    yield f"{result.comparisons} ordered pairs of {result.attribute} answered by both"
    cells = [[difference_cell(row, column) for column in FIELDS] for row in result.differences]
    yield aligned([FIELDS, *cells])


def lines_of_all(result: AllCompared) -> Iterator[str]:
    """Yield for each figure the runs, best first, with the letters of their groups; then all pairs."""
    for left_out in result.left_out:
        yield f"left out: {title(left_out.name)} {left_out.why}"
    names = {run.name.run: title(run.name) for run in result.runs}
    for block in result.figures:
        alike = f"do not differ at {result.level}, or are not tested"
        yield f"{block.figure} of {result.attribute}; runs that share a letter {alike}"
        runs = [
            [names[row.run], *ends(row.figure), " ".join(row.letters), row.against_best or ""] for row in block.runs
        ]
        yield aligned([["run", "value", "low", "high", "letters", "against the best"], *runs])
        pairs = [
            [f"{row.one} - {row.other}", *(difference_cell(row, field) for field in PAIR_COLUMNS)]
            for row in block.pairs
        ]
        yield aligned([["runs", *PAIR_COLUMNS.values()], *pairs])


def title(name: RunName) -> str:
    return f"{name.judge}, {name.prompt} (run {name.run})"


def ends(figure: Figure) -> list[str]:
    return [number_cell(figure.value), number_cell(figure.low), number_cell(figure.high)]


def difference_cell(row: FigureDifference | PairDifference, column: str) -> str:
    """Write a number, or the value of a figure."""
    value = getattr(row, column)
    return number_cell(value.value if isinstance(value, Figure) else value)
