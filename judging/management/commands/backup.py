"""`backup`: write everything that this installation holds into one file."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from judging.management.command_files import read_password, replace_when_complete
from judging.management.evenhand_command import EvenhandCommand
from judging.models.activity import Act
from judging.services.activity import note
from judging.services.backups.backups import BackupFacts, make_backup
from judging.services.full_disks import best_effort


class Command(EvenhandCommand):
    help = "Write the database and the uploads into one file, while everything goes on. Keys of endpoints stay out."
    examples = ("backup evenhand.backup", "backup evenhand.backup --password-file password.txt --json")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="file to write; an old one is replaced")
        parser.add_argument("--password-file", type=Path, metavar="FILE", help="encrypt it with the password in a file")

    def run(self, options: dict[str, Any]) -> BackupFacts:
        password = read_password(options["password_file"])
        with replace_when_complete(options["file"]) as part:
            facts = make_backup(part, password=password)
            with best_effort():
                note(Act.DOWNLOAD, options["file"].name)
        return facts

    def json_of(self, result: BackupFacts) -> object:
        return asdict(result)

    def show(self, result: BackupFacts) -> None:
        rows = f"{result.total_rows:,} rows of {len(result.rows)} tables"
        self.stdout.write(f"{rows} and {result.files:,} uploads written")
