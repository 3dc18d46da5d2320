"""Making and restoring backups.

A backup is a ZIP whose manifest has the checksums of all other members. Its copy of the database is of one moment:
of PostgreSQL a file a table, of SQLite its file.
"""

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.apps import apps
from django.conf import settings
from django.core.cache import cache
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from pyrage import DecryptError, decrypt_io, encrypt_io, passphrase, x25519

from evalsite import __version__
from evalsite.environment import known_variables
from evenhand.formats.tables.archives import BROKEN_ZIP
from evenhand.refusals import Refused
from evenhand.units import counted
from judging.models import Dataset, Run

MANIFEST, KEY, LOCKED, PLAIN = "manifest.json", "key.age", "backup.zip.age", "backup.zip"
_FAST = 1  # of 9 levels: higher ones take three times as long for a fifth less
OF_THIS_SITE = ("django_session", "django_migrations")
"""Tables without a copy: people sign in again, and migrations make their own rows."""
SQLITE_FILE = "db.sqlite3"
_PART = 1 << 20
Migrations = list[tuple[str, str]]
DATABASE, UPLOADS = "database", "uploads"


def write_archive(folder: Path, file: Path, *, facts: Mapping[str, Any], password: str = "") -> None:
    """Write the files of a folder, and a manifest with facts, into a backup."""
    members = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = {str(path.relative_to(folder)): _sum_of(path) for path in members}
    with TemporaryDirectory(dir=file.parent) as place:
        plain = Path(place) / PLAIN if password else file
        with ZipFile(plain, "w", ZIP_DEFLATED, compresslevel=_FAST) as archive:
            for name in sums:
                archive.write(folder / name, name)
            archive.writestr(MANIFEST, json.dumps({**facts, "sums": sums}, indent=1))
        if password:
            _lock(plain, file, password)


@contextmanager
def opened_archive(file: Path, *, password: str = "") -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield a folder with the files of a backup, and its manifest.

    Raises Refused for a file that is no backup, is cut or changed, or that the password does not open.
    """
    with TemporaryDirectory() as place:
        folder = Path(place) / "files"
        try:
            with ZipFile(_unlocked(file, Path(place), password)) as archive:
                archive.extractall(folder)
            manifest = json.loads((folder / MANIFEST).read_text())
            sums = manifest["sums"]
        except BROKEN_ZIP as error:
            raise Refused(f"{file}: no whole backup of Evenhand ({error or type(error).__name__})") from error
        if wrong := [name for name in sums if not (folder / name).is_file() or _sum_of(folder / name) != sums[name]]:
            raise Refused(f"{file}: changed since it was made: {', '.join(wrong)}")
        yield folder, manifest


def _sum_of(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _lock(plain: Path, file: Path, password: str) -> None:
    identity, locked = x25519.Identity.generate(), plain.with_name(LOCKED)
    with plain.open("rb") as readable, locked.open("wb") as written:
        encrypt_io(readable, written, [identity.to_public()])
    with ZipFile(file, "w") as archive:
        archive.writestr(KEY, passphrase.encrypt(str(identity).encode(), password))
        archive.write(locked, LOCKED)


def _unlocked(file: Path, place: Path, password: str) -> Path:
    """Return the path of the plain archive. Raises Refused for a missing, needless or wrong password."""
    with ZipFile(file) as archive:
        is_locked = KEY in archive.namelist()
        if is_locked != bool(password):
            advice = "give the file of its password" if is_locked else "it needs none"
            raise Refused(f"password-file: {file} is {'' if is_locked else 'not '}encrypted; {advice}")
        if not is_locked:
            return file
        archive.extractall(place)
    try:
        identity = x25519.Identity.from_str(passphrase.decrypt((place / KEY).read_bytes(), password).decode())
        with (place / LOCKED).open("rb") as readable, (place / PLAIN).open("wb") as written:
            decrypt_io(readable, written, [identity])
    except DecryptError as error:
        raise Refused(f"password-file: the password does not open {file}, or the file was changed") from error
    return place / PLAIN


def applied_migrations() -> Migrations:
    return sorted(MigrationRecorder(connection).applied_migrations())


def copy_database(folder: Path) -> dict[str, int]:
    """Write the database into a folder. Returns table -> number of rows."""
    return _copy_tables(folder) if connection.vendor == "postgresql" else _copy_file(folder)


def replace_database(folder: Path, migrations: Migrations) -> None:
    """Replace the database by the copy in a folder, which was made at these migrations. All of it, or nothing."""
    if connection.vendor == "postgresql":
        _replace_tables(folder, migrations)
    else:
        _replace_file(folder / SQLITE_FILE)


def _copy_tables(folder: Path) -> dict[str, int]:
    rows = {}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        for table in sorted({*connection.introspection.table_names(cursor)} - {*OF_THIS_SITE}):
            columns = ", ".join(
                f'"{one.name}"' for one in connection.introspection.get_table_description(cursor, table)
            )
            with (folder / f"{table}.copy").open("wb") as file:
                file.write(f"{columns}\n".encode())
                with cursor.copy(f'COPY "{table}" ({columns}) TO STDOUT') as copy:
                    for part in copy:
                        file.write(part)
                rows[table] = cursor.rowcount
    return rows


def _replace_tables(folder: Path, migrations: Migrations) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'DROP TABLE "{table}" CASCADE')
        executor = MigrationExecutor(connection)
        executor.migrate(list(_last_of_each_app(migrations, executor)))
        files = sorted(folder.glob("*.copy"))
        tables = ", ".join(f'"{file.stem}"' for file in files)
        cursor.execute(f"TRUNCATE {tables} CASCADE")  # migrations made groups and prompts
        for file in files:
            with file.open("rb") as rows:
                columns = rows.readline().decode().strip()
                with cursor.copy(f'COPY "{file.stem}" ({columns}) FROM STDIN') as copy:
                    while part := rows.read(_PART):
                        copy.write(part)
        for statement in connection.ops.sequence_reset_sql(no_style(), apps.get_models(include_auto_created=True)):
            cursor.execute(statement)


def _last_of_each_app(migrations: Migrations, executor: MigrationExecutor) -> Iterator[tuple[str, str]]:
    """Yield the migrations after which none of these comes in the same app."""
    made = {*migrations}
    for one in migrations:
        later = {(node.key[0], node.key[1]) for node in executor.loader.graph.node_map[one].children}
        if not any(app == one[0] for app, _ in later & made):
            yield one


def _copy_file(folder: Path) -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(folder / SQLITE_FILE)])
    with closing(sqlite3.connect(folder / SQLITE_FILE)) as copy:
        copy.execute("DELETE FROM django_session")
        copy.commit()
        tables = [name for (name,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {table: copy.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0] for table in sorted(tables)}


def _replace_file(copied: Path) -> None:
    connection.ensure_connection()
    with closing(sqlite3.connect(copied)) as copy:
        copy.backup(connection.connection)  # within one transaction, which other processes see whole


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
    if later := sorted(set(facts.migrations) - set(MigrationExecutor(connection).loader.disk_migrations)):
        names = ", ".join(".".join(one) for one in later)
        raise Refused(f"{file}: made by Evenhand {facts.version}, which is later than {__version__} ({names})")
