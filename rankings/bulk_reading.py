"""Reads rows of numbers from the database into one array, faster than Django's model instances."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Case, ExpressionWrapper, F, FloatField, ForeignKey, Model, Q, QuerySet, When
from django.db.models.expressions import Combinable

from evenhand.numerics.arrays import FloatArray

Rows = np.ndarray[Any, np.dtype[np.void]]
RowType = np.dtype[np.void]
Kinds = dict[str, np.dtype[Any]]
"""The type of each column."""
Columns = dict[str, np.ndarray[Any, np.dtype[Any]]]
ColumnSources = Mapping[str, str | Combinable]
"""The field or expression that is read into each column."""

KEYS_AT_ONCE = 1_000_000
"""Consecutive keys per packed value of PostgreSQL, which must stay far below 1 GB."""
_KEY = "key"
_EXACT_BITS = 53
_FIRST_INEXACT = 1 << _EXACT_BITS
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
    sources = dict(zip(kinds, ("pk", *columns), strict=True))
    read = _packed_columns if connection.vendor == "postgresql" else _columns_with_joined_keys
    values = read(connection, rows.order_by(), sources, kinds)
    order = np.argsort(values[_KEY], kind="stable")  # takes less time than the database would
    rows_in_order = np.empty(len(order), row_type)
    for name in names:
        rows_in_order[name] = values[name][order]
    return rows_in_order


def _columns_with_joined_keys(
    connection: BaseDatabaseWrapper, rows: QuerySet[Any, Any], sources: ColumnSources, kinds: Kinds
) -> Columns:
    """Read rows from SQLite, the keys of each row in one number where they fit: every number takes time to read."""
    bits = _bits_of_keys(connection, rows.model, sources)
    if len(bits) > 1:
        others = [name for name in kinds if name not in bits]
        joined = _joined([str(sources[name]) for name in bits], list(bits.values()))
        numbers, *columns = _numbers(connection, rows, [joined, *(sources[name] for name in others)])
        if numbers.max(initial=0.0) < _FIRST_INEXACT:  # else a row has no key, or newer keys with more bits
            return _separated(numbers, bits) | _checked(dict(zip(others, columns, strict=True)), kinds)
    return _checked(dict(zip(kinds, _numbers(connection, rows, list(sources.values())), strict=True)), kinds)


def _numbers(
    connection: BaseDatabaseWrapper, rows: QuerySet[Any, Any], sources: Sequence[str | Combinable]
) -> FloatArray:
    """Read rows as one list of numbers, without Python code for each row, and without an array element for each row.

    Returns (n_sources, n_rows), where NULL is NaN.
    """
    sql, parameters = rows.values_list(*sources).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        with connection.wrap_database_errors:
            return np.fromiter(chain.from_iterable(cursor.cursor), np.float64).reshape(-1, len(sources)).T


def _checked(numbers: Mapping[str, FloatArray], kinds: Kinds) -> Columns:
    """Return the numbers as their kinds. Raises as `number_rows`."""
    columns: Columns = {}
    for name, column in numbers.items():
        largest = np.abs(column).max(initial=0.0)
        if np.isnan(largest):
            raise MissingNumber(f"a row lacks its number of {name}")
        if kinds[name] == np.int64 and largest >= _FIRST_INEXACT:
            raise OverflowError(f"{name} has a number of {largest:.0f}, which float64 may have rounded")
        columns[name] = column.astype(kinds[name])
    return columns


def _bits_of_keys(connection: BaseDatabaseWrapper, model: type[Model], sources: ColumnSources) -> dict[str, int]:
    """Return the bits that each key of a row needs now, of the last keys that one number holds exactly.

    The indices of keys have the largest key, so the table is not read.
    """
    columns = {
        name: str(field.column)
        for name, source in sources.items()
        for field in model._meta.concrete_fields
        if (field.primary_key and source in ("pk", field.name))
        or (isinstance(field, ForeignKey) and source == field.name)
    }
    quote = connection.ops.quote_name
    largest = ", ".join(f"(SELECT MAX({quote(one)}) FROM {quote(model._meta.db_table)})" for one in columns.values())
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {largest}")
        bits = {name: (most or 0).bit_length() for name, most in zip(columns, cursor.fetchone(), strict=True)}
    while sum(bits.values()) > _EXACT_BITS:
        del bits[next(iter(bits))]
    return bits


def _joined(fields: Sequence[str], bits: Sequence[int]) -> Case:
    """In SQL, the keys of a row in one number, the last in its lowest bits; NULL if one needs more than its bits.

    The first may have as many as there is room for.
    """
    number: Combinable = F(fields[0])
    fits = Q()
    for field, n_bits in zip(fields[1:], bits[1:], strict=True):
        number = ExpressionWrapper(number * float(1 << n_bits) + F(field), FloatField())
        fits &= Q(**{f"{field}__gte": 0, f"{field}__lt": 1 << n_bits})
    return Case(When(fits, then=number), output_field=FloatField())


def _separated(numbers: FloatArray, bits: Mapping[str, int]) -> Columns:
    """Return each of the keys, (n_rows,). numbers: as of `_joined`."""
    first, *others = bits
    left, columns = numbers.astype(np.int64), {}
    for name in reversed(others):
        columns[name] = left & ((1 << bits[name]) - 1)
        left >>= bits[name]
    return columns | {first: left}


def _packed_columns(
    connection: BaseDatabaseWrapper, rows: QuerySet[Any, Any], sources: ColumnSources, kinds: Kinds
) -> Columns:
    """Read rows from PostgreSQL packed into few values, eight bytes a number, without an object per number."""
    sql, parameters = rows.values_list(*sources.values()).query.sql_with_params()
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
