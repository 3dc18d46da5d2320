"""The schema of the database: whether it is that of this program, and bringing it up to date by one process alone."""

import fcntl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model

NO_TABLES = "the database has no tables yet; start the web server first, or run the command migrate"
_LOCK = 0x45766E68  # the number of PostgreSQL's lock


def schema_problems() -> list[str]:
    """Say in what the database differs from what this program reads and writes; nothing if it fits."""
    executor = MigrationExecutor(connection)
    if not executor.loader.applied_migrations:
        return [NO_TABLES]
    if plan := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return [f"{len(plan)} migrations are missing, from {plan[0][0]} on; run the command migrate"]
    return list(lacking_columns(apps.get_models(include_auto_created=True)))


def lacking_columns(models: Iterable[type[Model]]) -> Iterator[str]:
    """Yield a sentence for each table that is missing, or that lacks columns."""
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        for model in models:
            table = model._meta.db_table
            if table not in tables:
                yield f"the table {table} is missing: another version made this database"
                continue
            there = {one.name for one in connection.introspection.get_table_description(cursor, table)}
            if lacking := sorted({str(field.column) for field in model._meta.concrete_fields} - there):
                yield f"the table {table} lacks {', '.join(lacking)}: another version made this database"


def bring_up_to_date() -> None:
    """Apply the migrations that are missing, while other processes wait that want to do the same."""
    with _alone():
        call_command("migrate", verbosity=0, interactive=False)


@contextmanager
def _alone() -> Iterator[None]:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
            try:
                yield
            finally:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])
        return
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    with (settings.DATA_DIR / "migrating.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
