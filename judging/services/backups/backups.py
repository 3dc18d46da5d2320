"""Making and restoring backups."""

import os
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection

from evalsite import __version__
from evalsite.environment import known_variables
from evenhand.refusals import Refused
from evenhand.units import counted
from judging.models import Dataset, Run
from judging.services.backups.backup_archive import opened_archive, write_archive
from judging.services.backups.database_copies import (
    applied_migrations,
    copy_database,
    known_migrations,
    replace_database,
)

DATABASE, UPLOADS = "database", "uploads"


@dataclass(frozen=True, slots=True)
class BackupFacts:
    """The contents of a backup. rows: table -> their number. settings: names of the variables that were set."""

    version: str
    made_at: str
    database: str
    migrations: list[tuple[str, str]]
    settings: list[str]
    rows: dict[str, int]
    files: int

    @property
    def total_rows(self) -> int:
        return sum(self.rows.values())


def make_backup(file: Path, *, password: str = "") -> BackupFacts:
    """Write the database as it is at one moment, and the uploads. Everything may go on meanwhile."""
    with TemporaryDirectory(dir=file.parent) as place:
        folder = Path(place)
        (folder / DATABASE).mkdir()
        rows = copy_database(folder / DATABASE)
        if settings.MEDIA_ROOT.is_dir():
            shutil.copytree(settings.MEDIA_ROOT, folder / UPLOADS)
        facts = BackupFacts(
            version=__version__,
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            database=connection.vendor,
            migrations=applied_migrations(),
            settings=sorted(name for name in known_variables() if os.environ.get(name)),
            rows=rows,
            files=sum(path.is_file() for path in (folder / UPLOADS).rglob("*")),
        )
        write_archive(folder, file, facts={name: getattr(facts, name) for name in facts.__slots__}, password=password)
    return facts


def restore_backup(file: Path, *, password: str = "", replaces: bool = False) -> BackupFacts:
    """Replace the database by that of a backup, add its uploads, and bring both up to this version.

    replaces: datasets and runs that are there now may go. Raises Refused, before anything is changed, for a file that
    is no whole backup, of a later version or of another database, and for a database with datasets or runs.
    """
    if not replaces and (kept := _kept()):
        raise Refused(f"replace: the database has {kept} — restore into an empty one, or give --replace to lose them")
    with opened_archive(file, password=password) as (folder, manifest):
        facts = BackupFacts(
            **{name: manifest[name] for name in BackupFacts.__slots__ if name != "migrations"},
            migrations=[(app, name) for app, name in manifest["migrations"]],
        )
        _require_restorable(file, facts)
        replace_database(folder / DATABASE, facts.migrations)
        if (folder / UPLOADS).is_dir():
            shutil.copytree(folder / UPLOADS, settings.MEDIA_ROOT, dirs_exist_ok=True)
    call_command("migrate", verbosity=0, interactive=False)
    cache.delete_pattern("*")  # type: ignore[attr-defined]  # figures of other rows with the same numbers
    return facts


def _kept() -> str:
    """Say what a restore would lose; "" for an empty database."""
    tables = connection.introspection.table_names()
    if Run._meta.db_table not in tables:
        return ""
    found = {"dataset": Dataset.objects.count(), "run": Run.objects.count()}
    return " and ".join(counted(number, noun) for noun, number in found.items() if number)


def _require_restorable(file: Path, facts: BackupFacts) -> None:
    if facts.database != connection.vendor:
        raise Refused(f"{file}: a backup of {facts.database}, while DATABASE_URL leads to {connection.vendor}")
    if later := sorted(set(facts.migrations) - known_migrations()):
        names = ", ".join(".".join(one) for one in later)
        raise Refused(f"{file}: made by Evenhand {facts.version}, which is later than {__version__} ({names})")
