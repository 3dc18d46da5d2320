"""`compare`: two judges on the same pairs, or more of them all with all."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_run
from rankings.compare.all_runs import compare_all
from rankings.compare.two_runs import compare_runs
from rankings.management.commands.scores import shown
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

Row = dict[str, Any]


class Command(EvenhandCommand):
    help = "Print by how much runs differ on the pairs that every two of them answered, with intervals and p-values."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("runs", nargs="+", type=int, metavar="RUN", help="two, or up to 20 to compare all with all")
        self.add_json_argument(parser)

    def run(self, options: dict[str, Any]) -> Row:
        runs = [get_run(pk) for pk in options["runs"]]
        return compare_runs(*runs) if len(runs) == 2 else compare_all(runs)

    def show(self, result: Row) -> None:
        lines = lines_of_all(result) if "figures" in result else lines_of_two(result)
        self.stdout.write("\n".join(lines), ending="")


def lines_of_two(result: Row) -> Iterator[str]:
    one, other = result["one"], result["other"]
    yield f"one: {one['judge']}, {one['prompt']} (run {one['run']})"
    yield f"other: {other['judge']}, {other['prompt']} (run {other['run']})"
    yield f"{result['comparisons']} ordered pairs of {result['attribute']} answered by both"
    cells = [[cell(row, column) for column in COLUMNS] for row in result["differences"]]
    yield aligned([COLUMNS, *cells])


def lines_of_all(result: Row) -> Iterator[str]:
    """For each figure the runs, best first, with the letters of their groups; then every two of them."""
    for run in result["left_out"]:
        yield f"left out: {run['judge']}, {run['prompt']} (run {run['run']}) {run['why']}"
    names = {run["run"]: f"{run['judge']}, {run['prompt']} (run {run['run']})" for run in result["runs"]}
    for block in result["figures"]:
        yield f"{block['figure']} of {result['attribute']}; runs that share a letter do not differ at {result['level']}"
        runs = [
            [names[row["run"]], *(shown(row[field]) for field in ("value", "low", "high")), " ".join(row["letters"])]
            for row in block["runs"]
        ]
        yield aligned([["run", "value", "low", "high", "letters"], *runs])
        pairs = [
            [f"{row['one']} - {row['other']}", *(cell(row, field) for field in PAIR_COLUMNS)] for row in block["pairs"]
        ]
        yield aligned([["runs", *PAIR_COLUMNS.values()], *pairs])


def cell(row: Row, column: str) -> str:
    """A number as a table has it; of a figure, its value."""
    return shown(row[column]["value"] if column == "perm_both" else row[column])
