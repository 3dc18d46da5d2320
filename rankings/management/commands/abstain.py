"""`abstain`: accuracy where a judge is surest, and the threshold below which it should abstain."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.units import counted
from judging.management.rows_by_name import get_run
from rankings.abstaining.abstaining_page import ANALYSIS
from rankings.abstaining.doubtful_campaign import ask_people
from rankings.management.analysis_command import AnalysisCommand


class Command(AnalysisCommand):
    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - Django's
        super().__init__(ANALYSIS, **settings)

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--campaign", metavar="NAME", help="create a campaign with the doubtful pairs that people have not decided"
        )

    def run(self, options: dict[str, Any]) -> object:
        report: Any = super().run(options)
        if options["campaign"]:
            campaign = ask_people(get_run(options["run"]), report, name=options["campaign"])
            self.note(f'campaign "{campaign.name}": {counted(campaign.pairs.count(), "pair")}')
        return report
