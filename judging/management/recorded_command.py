"""Commands without a file of their own: each is made from a record, which is loaded when it is used."""

from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any

from django.core.management import BaseCommand, get_commands
from django.core.management.base import CommandParser


class RecordedCommand(BaseCommand):
    """A command by the places of its class and of its record, as text for pkgutil.resolve_name."""

    def __init__(self, command: str, record: str) -> None:
        super().__init__()
        self.command, self.record = command, record

    def loaded(self) -> BaseCommand:
        """Return the command itself."""
        command: BaseCommand = resolve_name(self.command)(resolve_name(self.record))
        return command

    def create_parser(self, prog_name: str, subcommand: str, **settings: Any) -> CommandParser:  # noqa: ANN401
        return self.loaded().create_parser(prog_name, subcommand, **settings)

    def run_from_argv(self, argv: list[str]) -> None:
        self.loaded().run_from_argv(argv)

    def execute(self, *args: Any, **options: Any) -> str | None:  # noqa: ANN401 - Django's signature
        return self.loaded().execute(*args, **options)


def record_commands(command: str, records: Mapping[str, str]) -> None:
    """Make commands known to Django. records: name of a command -> its record."""
    get_commands().update({name: RecordedCommand(command, record) for name, record in records.items()})  # type: ignore[misc]
