"""`curve`: how the correlation with people grows with the number of comparisons."""

from typing import Any

from django.core.management.base import CommandParser

from judging.management.base import EvenhandCommand
from judging.management.finding import find_run
from rankings.management.commands.scores import shown
from rankings.numerics import DRAWN, METHODS
from rankings.reports import curve_points
from rankings.tables import aligned

COLUMNS = ("ranking", "selection", "comparisons", "mean", "low", "high", "draws")


class Command(EvenhandCommand):
    help = "Print Spearman's correlation per context against the comparisons per context, over random draws of them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, metavar="RUN")
        parser.add_argument(
            "--ranking", action="append", default=[], help=f"one of {', '.join(METHODS)}; left out, all of them"
        )
        parser.add_argument(
            "--selection", action="append", default=[], help=f"one of {', '.join(DRAWN)}; left out, random"
        )
        parser.add_argument("--debias", action="store_true", help="with the position bias of the run taken out")
        parser.add_argument("--draws", type=int, default=50)
        parser.add_argument("--seed", type=int, default=0)
        self.add_json_argument(parser)

    def run(self, options: dict[str, Any]) -> dict[str, object]:
        points = curve_points(
            find_run(options["run"]),
            rankings=options["ranking"],
            selections=options["selection"],
            debias=options["debias"],
            draws=options["draws"],
            seed=options["seed"],
        )
        return {"points": points}

    def show(self, result: dict[str, Any]) -> None:
        cells = [[shown(point[column]) for column in COLUMNS] for point in result["points"]]
        self.stdout.write(aligned([COLUMNS, *cells]), ending="")
