"""`restore`: bring back what a backup holds."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from judging.management.command_files import read_password, read_source_files
from judging.management.evenhand_command import EvenhandCommand
from judging.models.activity import Act
from judging.services.activity import note
from judging.services.backups.backups import BackupFacts, restore_backup


class Command(EvenhandCommand):
    help = (
        "Replace the database by that of a backup, also of an earlier version, and add its uploads. Stop the web "
        "server and the workers first. People sign in again."
    )
    examples = ("restore evenhand.backup", "restore evenhand.backup --password-file password.txt --replace")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="a file that backup wrote")
        parser.add_argument("--password-file", type=Path, metavar="FILE", help="file with the password of the backup")
        parser.add_argument("--replace", action="store_true", help="lose the datasets and runs that are there now")

    def run(self, options: dict[str, Any]) -> BackupFacts:
        read_source_files([options["file"]])  # refuses what is no file
        password = read_password(options["password_file"])
        facts = restore_backup(options["file"], password=password, replaces=options["replace"])
        note(Act.RESTORE, options["file"].name)
        return facts

    def json_of(self, result: BackupFacts) -> object:
        return asdict(result)

    def show(self, result: BackupFacts) -> None:
        self.stdout.write(
            f"{result.total_rows:,} rows of {result.made_at} restored; other settings then were: "
            f"{', '.join(result.settings) or 'none'}"
        )
