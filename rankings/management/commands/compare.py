"""`compare`: differences between two runs, or all pairs of up to sixty, on the same pairs."""

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser

from evenhand.refusals import Refused
from judging.management.rows_by_name import get_dataset, get_run
from judging.models import Dataset, Run
from judging.web.options import add_option_arguments
from rankings.compare import all_runs_page, two_runs_page
from rankings.management.analysis_command import AnalysisCommand


class Command(AnalysisCommand):
    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - Django's
        super().__init__(all_runs_page.ANALYSIS, **settings)
        self.help = "Print the differences of runs on the pairs that both runs answered, with intervals and p-values."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "runs", nargs="*", type=int, metavar="RUN", help="two runs, or up to 60 for all pairwise differences"
        )
        parser.add_argument("--dataset", metavar="NAME", help="compare its runs, all that are not named")
        add_option_arguments(parser, self.analysis.options)

    def run(self, options: dict[str, Any]) -> object:
        if len(options["runs"]) == 2 and not any(options[name] for name in ("dataset", "attribute", "run")):
            self.analysis = two_runs_page.ANALYSIS
        return super().run(options | {"run": [*options["runs"], *(options["run"] or ())]})

    def rows(self, options: dict[str, Any]) -> Sequence[Run | Dataset]:
        """Return two runs, or the dataset of the runs."""
        if options["dataset"]:
            return [get_dataset(options["dataset"])]
        runs = [get_run(pk) for pk in options["runs"]]
        if not runs:
            raise Refused("run: name two runs or more, or a dataset")
        return runs if self.analysis.of == "two runs" else [runs[0].dataset]
