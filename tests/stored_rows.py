"""Restores the database after a test that commits: a tenth of the time of Django's `flush`.

`flush` truncates every table and then makes permissions, groups and shipped prompts one by one.
"""

import time

from django.apps import apps
from django.core.management.color import no_style
from django.db import OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper
from django.test import TransactionTestCase

reset_sequences_to_one = TransactionTestCase._reset_sequences


def every_count() -> dict[str, int]:
    """Return table -> its number of rows."""
    tables = apps.get_models(include_auto_created=True)
    return {table.__name__: table._base_manager.count() for table in tables}


class StoredRows:
    """The rows that are in the database now. name: of this copy of them."""

    def __init__(self, name: str = "copy") -> None:
        self.tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
        with connection.cursor() as cursor:
            self.copies = {table: f"{name}_of_{table}" for table in self._tables_with_rows(cursor)}
            for table, copy in self.copies.items():
                cursor.execute(f"CREATE TABLE {copy} AS SELECT * FROM {table}")

    def restore(self) -> None:
        """Remove all other rows and bring these back. Waits a minute at most until no other connection writes."""
        deadline = time.monotonic() + 60
        while not self._restored(last_try=time.monotonic() > deadline):
            time.sleep(0.05)  # a request that ends gives no sign to wait for

    def _restored(self, *, last_try: bool) -> bool:
        """Restore the rows unless another connection writes now.

        It keeps no table locked while it waits: a request of a page that a test has left may want that very table.
        """
        with connection.constraint_checks_disabled(), transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                try:
                    with transaction.atomic():
                        cursor.execute(f"LOCK TABLE {', '.join(self.tables)} IN EXCLUSIVE MODE NOWAIT")
                except OperationalError:
                    if last_try:
                        raise
                    return False
                cursor.execute("SET LOCAL session_replication_role = replica")  # checks no foreign keys
            for table in self._tables_with_rows(cursor):
                cursor.execute(f"DELETE FROM {table}")
            for table, copy in self.copies.items():
                cursor.execute(f"INSERT INTO {table} SELECT * FROM {copy}")
        return True

    def reset_sequences(self) -> None:
        """Count on from these rows, and from 1 in all other tables."""
        reset_sequences_to_one(connection.alias)
        models = [model for model in apps.get_models(include_auto_created=True) if model._meta.db_table in self.copies]
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), models):
                cursor.execute(statement)

    def _tables_with_rows(self, cursor: CursorWrapper) -> list[str]:
        cursor.execute(
            " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table})" for table in self.tables)
        )
        return [table for (table,) in cursor]
