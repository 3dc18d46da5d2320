"""`compare`: two judges on the same pairs."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.base import EvenhandCommand
from judging.management.finding import find_run
from rankings.differences import compare_runs
from rankings.management.commands.scores import shown
from rankings.tables import aligned

COLUMNS = ("figure", "ranking", "one", "other", "difference", "low", "high", "p_value", "p_value_holm")


class Command(EvenhandCommand):
    help = "Print by how much two runs differ on the pairs that both answered, with intervals and p-values."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("runs", nargs=2, type=int, metavar="RUN")
        self.add_json_argument(parser)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        one, other = (find_run(pk) for pk in options["runs"])
        return compare_runs(one, other)

    def show(self, result: dict[str, Any]) -> None:
        one, other = result["one"], result["other"]
        self.stdout.write(f"one: {one['judge']}, {one['prompt']} (run {one['run']})")
        self.stdout.write(f"other: {other['judge']}, {other['prompt']} (run {other['run']})")
        self.stdout.write(f"{result['comparisons']} ordered pairs of {result['attribute']} answered by both\n")
        cells = [[shown(row[column]) for column in COLUMNS] for row in result["differences"]]
        self.stdout.write(aligned([COLUMNS, *cells]), ending="")
