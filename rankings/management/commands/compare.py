"""`compare`: two judges on the same pairs, or more of them all with all."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from judging.management.rows_by_name import get_run
from rankings.compare.all_runs import compare_all
from rankings.compare.comparison_of_runs import AllCompared, FigureDifference, PairDifference, RunsCompared
from rankings.compare.two_runs import compare_runs
from rankings.management.base import ReportCommand
from rankings.management.commands.scores import shown
from rankings.numerics import Figure
from rankings.report.run_names import RunName
from rankings.report.tables import aligned

COLUMNS = ("figure", "ranking", "one", "other", "difference", "low", "high", "p_value", "p_value_holm", "perm_both")
PAIR_COLUMNS = {
    "difference": "difference",
    "low": "low",
    "high": "high",
    "p_value": "p_value",
    "p_value_holm": "holm",
    "p_value_benjamini_hochberg": "benjamini-hochberg",
    "perm_both": "perm-both",
}


class Command(ReportCommand):
    help = "Print by how much runs differ on the pairs that every two of them answered, with intervals and p-values."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("runs", nargs="+", type=int, metavar="RUN", help="two, or up to 20 to compare all with all")
        self.add_json_argument(parser)

    def run(self, options: dict[str, Any]) -> RunsCompared | AllCompared:
        runs = [get_run(pk) for pk in options["runs"]]
        return compare_runs(*runs) if len(runs) == 2 else compare_all(runs)

    def show(self, result: RunsCompared | AllCompared) -> None:
        lines = lines_of_all(result) if isinstance(result, AllCompared) else lines_of_two(result)
        self.stdout.write("\n".join(lines), ending="")


def lines_of_two(result: RunsCompared) -> Iterator[str]:
    yield f"one: {title(result.one.name)}"
    yield f"other: {title(result.other.name)}"
    yield f"{result.comparisons} ordered pairs of {result.attribute} answered by both"
    cells = [[cell(row, column) for column in COLUMNS] for row in result.differences]
    yield aligned([COLUMNS, *cells])


def lines_of_all(result: AllCompared) -> Iterator[str]:
    """For each figure the runs, best first, with the letters of their groups; then every two of them."""
    for left_out in result.left_out:
        yield f"left out: {title(left_out.name)} {left_out.why}"
    names = {run.name.run: title(run.name) for run in result.runs}
    for block in result.figures:
        yield f"{block.figure} of {result.attribute}; runs that share a letter do not differ at {result.level}"
        runs = [[names[row.run], *ends(row.figure), " ".join(row.letters)] for row in block.runs]
        yield aligned([["run", "value", "low", "high", "letters"], *runs])
        pairs = [[f"{row.one} - {row.other}", *(cell(row, field) for field in PAIR_COLUMNS)] for row in block.pairs]
        yield aligned([["runs", *PAIR_COLUMNS.values()], *pairs])


def title(name: RunName) -> str:
    return f"{name.judge}, {name.prompt} (run {name.run})"


def ends(figure: Figure) -> list[str]:
    return [shown(figure.value), shown(figure.low), shown(figure.high)]


def cell(row: FigureDifference | PairDifference, column: str) -> str:
    """A number as a table has it; of a figure, its value."""
    return shown(row.perm_both.value if column == "perm_both" else getattr(row, column))
