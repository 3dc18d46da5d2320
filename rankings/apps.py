"""The app `rankings`: it has no tables. Its analyses are commands without a file."""

from __future__ import annotations

from django.apps import AppConfig

from judging.management.recorded_command import record_commands
from rankings.analyses.names import ANALYSES, COMMANDS_OF_ANALYSES


class RankingsConfig(AppConfig):
    name = "rankings"

    def ready(self) -> None:
        records = {command: ANALYSES[name] for command, name in COMMANDS_OF_ANALYSES.items()}
        record_commands("rankings.management.analysis_command:AnalysisCommand", records)
