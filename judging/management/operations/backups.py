"""The commands that write a backup of an installation, and bring one back."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from evenhand.options import Option
from judging.management.command_files import read_password, read_source_files, replace_when_complete
from judging.management.operations.record import Operation
from judging.models.activity_and_looks import Act
from judging.services.activity import note
from judging.services.backups.backups import make_backup, restore_backup
from judging.services.full_disks import best_effort


def backup(
    *,
    file: Annotated[Path, Option("File to write; an old one is replaced.")],
    password_file: Annotated[Path | None, Option("Encrypt it with the password in a file.")] = None,
) -> dict[str, Any]:
    """Write the database and the uploads into one file, while everything goes on. Keys of endpoints stay out."""
    password = read_password(password_file)
    with replace_when_complete(file) as part:
        facts = make_backup(part, password=password)
        with best_effort():
            note(Act.DOWNLOAD, file.name)
    return asdict(facts)


def restore(
    *,
    file: Annotated[Path, Option("A file that backup wrote.")],
    password_file: Annotated[Path | None, Option("File with the password of the backup.")] = None,
    replace: Annotated[bool, Option("Lose the datasets and runs that are there now.")] = False,
) -> dict[str, Any]:
    """Replace the database by that of a backup, also of an earlier version, and add its uploads. Stop the web
    server and the workers first. People sign in again.
    """
    read_source_files([file])  # refuses what is no file
    facts = restore_backup(file, password=read_password(password_file), replaces=replace)
    note(Act.RESTORE, file.name)
    return asdict(facts)


def _rows(result: dict[str, Any]) -> str:
    return f"{sum(result['rows'].values()):,} rows of"


BACKUP = Operation(
    backup,
    lambda result: [f"{_rows(result)} {len(result['rows'])} tables and {result['files']:,} uploads written"],
    examples=("backup evenhand.backup", "backup evenhand.backup --password-file password.txt --json"),
    placed=("file",),
)
RESTORE = Operation(
    restore,
    lambda result: [
        f"{_rows(result)} {result['made_at']} restored; other settings then were: "
        f"{', '.join(result['settings']) or 'none'}"
    ],
    examples=("restore evenhand.backup", "restore evenhand.backup --password-file password.txt --replace"),
    placed=("file",),
)
