"""Temporary databases, for data that may not fit into memory. SQLite deletes their files when it closes them."""

import marshal
import sqlite3
import weakref
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

CACHE_KIBIBYTES = 8_000
PAGE_BYTES = 4_096
MAX_PAGES = 1_000_000  # a small file may unpack to much more than its size


class StoreIsFull(Exception):
    """Raised if a temporary database takes more than MAX_PAGES, or more than the disk has."""


class TemporaryDatabase:
    """A database in a temporary file. Nothing in it outlives the object."""

    def __init__(self, tables: str) -> None:
        """Take the tables, which are made once they are used. tables: statements of SQL."""
        self._tables = tables

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, connection.close)
        for setting in (
            *("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{CACHE_KIBIBYTES}"),
            *(f"page_size = {PAGE_BYTES}", f"max_page_count = {MAX_PAGES}"),
        ):
            connection.execute(f"PRAGMA {setting}")
        connection.executescript(self._tables)
        connection.execute("BEGIN")
        return connection

    def insert(self, statement: str, *values: object) -> int | None:
        """Insert a row and return its id; None if a unique key is taken. Raises StoreIsFull."""
        try:
            return self._connection.execute(statement, values).lastrowid
        except sqlite3.IntegrityError:
            return None
        except sqlite3.OperationalError as error:
            raise StoreIsFull(str(error)) from error

    def insert_all(self, statement: str, rows: Iterable[Sequence[object]]) -> int:
        """Insert rows and return their number. Raises StoreIsFull."""
        try:
            return self._connection.executemany(statement, rows).rowcount
        except sqlite3.OperationalError as error:
            raise StoreIsFull(str(error)) from error

    def execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        return self._connection.execute(statement, values)


class DiskDictionary:
    """A dictionary on disk. Keys are sequences of texts and whole numbers; values are plain Python values."""

    def __init__(self) -> None:
        self._database = TemporaryDatabase("CREATE TABLE entry (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")

    def get(self, key: Sequence[str | int]) -> Any:  # noqa: ANN401 - what was added
        """Return the value of a key; None if the key is new."""
        row = self._database.execute("SELECT value FROM entry WHERE key = ?", (_key_bytes(key),)).fetchone()
        return marshal.loads(row[0]) if row else None

    def add(self, key: Sequence[str | int], value: Any) -> bool:  # noqa: ANN401 - a plain value
        """Add a value and return True; False if the key is taken. Raises StoreIsFull."""
        insert = "INSERT INTO entry VALUES (?, ?)"
        return self._database.insert(insert, _key_bytes(key), marshal.dumps(value)) is not None


def _key_bytes(key: Sequence[str | int]) -> bytes:
    """Return the same bytes for equal keys. Later versions of this format depend on how texts are held in memory."""
    return marshal.dumps(tuple(key), 0)
