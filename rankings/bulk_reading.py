"""Reads rows of numbers from the database into one array, faster than Django's model instances."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet
from django.db.models.expressions import Combinable

Rows = np.ndarray[Any, np.dtype[np.void]]
RowType = np.dtype[np.void]
Kinds = dict[str, np.dtype[Any]]
"""The type of each column."""
Columns = dict[str, np.ndarray[Any, np.dtype[Any]]]

KEYS_AT_ONCE = 1_000_000
"""Consecutive keys per packed value of PostgreSQL, which must stay far below 1 GB."""
_KEY = "key"
_FIRST_INEXACT = 1 << 53
"""From here on, float64 does not hold every whole number."""
_SENDERS = {np.dtype(np.int64): "int8send", np.dtype(np.float64): "float8send"}


class MissingNumber(RuntimeError):
    """Raised when a row lacks a required number."""


def number_rows(rows: QuerySet[Any, Any], row_type: RowType, *columns: str | Combinable) -> Rows:
    """Read columns of rows into one structured array, (n_rows,), in the order of the rows' keys.

    row_type: a name for each column, and int64 or float64. Raises MissingNumber where one is NULL, and on SQLite
    OverflowError for whole numbers of 2**53 or more.
    """
    connection = connections[rows.db]
    names = row_type.names or ()
    kinds = {_KEY: np.dtype(np.int64)} | {name: row_type[name] for name in names}
    read = _packed_columns if connection.vendor == "postgresql" else _read_columns
    values = read(connection, rows.order_by().values_list("pk", *columns), kinds)
    order = np.argsort(values[_KEY], kind="stable")  # takes less time than the database would
    rows_in_order = np.empty(len(order), row_type)
    for name in names:
        rows_in_order[name] = values[name][order]
    return rows_in_order


def _read_columns(connection: BaseDatabaseWrapper, rows: QuerySet[Any, tuple[Any, ...]], kinds: Kinds) -> Columns:
    """Read rows as one list of numbers, without Python code for each row, and without an array element for each row."""
    sql, parameters = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        with connection.wrap_database_errors:
            numbers = np.fromiter(chain.from_iterable(cursor.cursor), np.float64).reshape(-1, len(kinds))
    columns: Columns = {}
    for (name, kind), column in zip(kinds.items(), numbers.T, strict=True):
        largest = np.abs(column).max(initial=0.0)
        if np.isnan(largest):  # NULL becomes NaN
            raise MissingNumber(f"a row lacks its number of {name}")
        if kind == np.int64 and largest >= _FIRST_INEXACT:
            raise OverflowError(f"{name} has a number of {largest:.0f}, which float64 may have rounded")
        columns[name] = column.astype(kind)
    return columns


def _packed_columns(connection: BaseDatabaseWrapper, rows: QuerySet[Any, tuple[Any, ...]], kinds: Kinds) -> Columns:
    """Read rows from PostgreSQL packed into few values, eight bytes a number, without an object per number."""
    sql, parameters = rows.query.sql_with_params()
    packed = " || ".join(f"{_SENDERS[kind]}({name})" for name, kind in kinds.items())
    # OFFSET 0 hides the definition of `part`. Otherwise the server expects one part per row, and sorts all rows.
    parts = f"SELECT *, {_KEY} / {KEYS_AT_ONCE} AS part FROM ({sql}) AS numbers({', '.join(kinds)}) OFFSET 0"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*), string_agg({packed}, '') FROM ({parts}) AS parts GROUP BY part", parameters)
        unpacked = [_unpacked(n_rows, value, kinds) for n_rows, value in cursor]
    none = np.zeros(0, list(kinds.items()))
    return {name: np.concatenate([part[name] for part in (none, *unpacked)]) for name in kinds}


def _unpacked(n_rows: int, packed: bytes | None, kinds: Kinds) -> Rows:
    rows = np.frombuffer(packed or b"", [(name, kind.newbyteorder(">")) for name, kind in kinds.items()])
    if len(rows) != n_rows:
        raise MissingNumber(f"{n_rows - len(rows)} of {n_rows} rows lack a number")
    return rows
