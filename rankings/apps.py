"""The app `rankings`: it has no tables. Its analyses are commands without a file."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.core.management import BaseCommand, get_commands
from django.core.management.base import CommandParser

from rankings.analyses.names import COMMANDS_OF_ANALYSES


class RecordedCommand(BaseCommand):
    """The command of a record, which is loaded when it is used."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def loaded(self) -> BaseCommand:
        """Return the command itself."""
        from rankings.management.analysis_command import AnalysisCommand  # noqa: PLC0415 - numpy and scipy, for this command alone

        return AnalysisCommand(COMMANDS_OF_ANALYSES[self.name])

    def create_parser(self, prog_name: str, subcommand: str, **settings: Any) -> CommandParser:  # noqa: ANN401
        return self.loaded().create_parser(prog_name, subcommand, **settings)

    def run_from_argv(self, argv: list[str]) -> None:
        self.loaded().run_from_argv(argv)

    def execute(self, *args: Any, **options: Any) -> str | None:  # noqa: ANN401 - Django's signature
        return self.loaded().execute(*args, **options)


class RankingsConfig(AppConfig):
    name = "rankings"

    def ready(self) -> None:
        get_commands().update({name: RecordedCommand(name) for name in COMMANDS_OF_ANALYSES})  # type: ignore[misc]
