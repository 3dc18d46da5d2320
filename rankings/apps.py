"""The app `rankings`: it has no tables. Its analyses are commands without a file."""

from django.apps import AppConfig

from evalsite.command_list import COMMANDS_OF_PAGES
from judging.management.recorded_command import record_commands


class RankingsConfig(AppConfig):
    name = "rankings"

    def ready(self) -> None:
        records = {name: f"{module}:ANALYSIS" for name, (module, _) in COMMANDS_OF_PAGES.items()}
        record_commands("rankings.management.analysis_command:AnalysisCommand", records)
