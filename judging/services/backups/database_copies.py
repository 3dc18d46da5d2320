"""Copies of the database: of PostgreSQL a file a table, of SQLite its file. Each is of one moment."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

OF_THIS_SITE = ("django_session", "django_migrations")
"""Tables without a copy: people sign in again, and migrations make their own rows."""
SQLITE_FILE = "db.sqlite3"
_PART = 1 << 20

Migrations = list[tuple[str, str]]


def applied_migrations() -> Migrations:
    return sorted(MigrationRecorder(connection).applied_migrations())


def known_migrations() -> set[tuple[str, str]]:
    """Return the migrations of this version of the program."""
    return set(MigrationExecutor(connection).loader.disk_migrations)


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
