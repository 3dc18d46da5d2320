"""Reads rows of numbers from the database into one array, faster than Django's model instances."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet
from django.db.models.expressions import Combinable

Rows = np.ndarray[Any, np.dtype[np.void]]
RowType = np.dtype[np.void]

KEYS_AT_ONCE = 1_000_000
"""Consecutive keys per packed value of PostgreSQL, which must stay far below 1 GB."""
_KEY = "key"
_SENDERS = {np.dtype(np.int64): "int8send", np.dtype(np.float64): "float8send"}


class MissingNumber(RuntimeError):
    """Raised when a row lacks a required number."""


def number_rows(rows: QuerySet[Any, Any], row_type: RowType, *columns: str | Combinable) -> Rows:
    """Read columns of rows into one structured array, (n_rows,), in the order of the rows' keys.

    row_type: a name for each column, and int64 or float64. Raises MissingNumber where one is NULL.
    """
    connection = connections[rows.db]
    if connection.vendor == "postgresql":
        return _packed_rows(connection, rows.order_by().values_list("pk", *columns), row_type)
    return _read_rows(connection, rows.order_by("pk").values_list(*columns), row_type)


def _read_rows(connection: BaseDatabaseWrapper, rows: QuerySet[Any, tuple[Any, ...]], row_type: RowType) -> Rows:
    sql, parameters = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        try:
            with connection.wrap_database_errors:
                numbers = np.fromiter(cursor.cursor, row_type)  # without Python code for each row
        except TypeError as error:  # NULL is no integer
            raise MissingNumber(str(error)) from error
    for name in row_type.names or ():
        if np.isnan(numbers[name]).any():  # NULL becomes NaN among floats
            raise MissingNumber(f"a row lacks its number of {name}")
    return numbers


def _packed_rows(connection: BaseDatabaseWrapper, rows: QuerySet[Any, tuple[Any, ...]], row_type: RowType) -> Rows:
    """Read rows from PostgreSQL packed into few values, eight bytes a number, without an object per number.

    rows: keys and columns. The server sends them in any order, and they are sorted by key here.
    """
    names = row_type.names or ()
    kinds = {_KEY: np.dtype(np.int64)} | {name: row_type[name] for name in names}
    sql, parameters = rows.query.sql_with_params()
    packed = " || ".join(f"{_SENDERS[kind]}({name})" for name, kind in kinds.items())
    # OFFSET 0 hides the definition of `part`. Otherwise the server expects one part per row, and sorts all rows.
    parts = f"SELECT *, {_KEY} / {KEYS_AT_ONCE} AS part FROM ({sql}) AS numbers({', '.join(kinds)}) OFFSET 0"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*), string_agg({packed}, '') FROM ({parts}) AS parts GROUP BY part", parameters)
        unpacked = [_unpacked(n_rows, value, kinds) for n_rows, value in cursor]
    columns = {
        name: np.concatenate([np.zeros(0, kind), *(part[name] for part in unpacked)]) for name, kind in kinds.items()
    }
    order = np.argsort(columns[_KEY], kind="stable")
    rows_in_order = np.empty(len(order), row_type)
    for name in names:
        rows_in_order[name] = columns[name][order]
    return rows_in_order


def _unpacked(n_rows: int, packed: bytes | None, kinds: dict[str, np.dtype[Any]]) -> Rows:
    rows = np.frombuffer(packed or b"", [(name, kind.newbyteorder(">")) for name, kind in kinds.items()])
    if len(rows) != n_rows:
        raise MissingNumber(f"{n_rows - len(rows)} of {n_rows} rows lack a number")
    return rows
