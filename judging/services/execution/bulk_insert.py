"""Many rows into one table as fast as its database takes them, without making a model of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from django.db import IntegrityError, connection, models, transaction
from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from judging.models import Candidate, Run
from judging.services.execution.copying import (
    HEADER,
    TRAILER,
    Cells,
    numbers,
    one_moment,
    rows_of,
    texts,
    whole_numbers,
)

ROWS_AT_ONCE = 1_000  # the database reads one part while the next is written out

SHOWN = ("first", "second", "candidate")
WRITTEN: dict[str, Callable[[Any], Cells]] = {"bigint": whole_numbers, "double precision": numbers, "text": texts}

Value = str | int | float | None
Column = tuple[Value, ...]


class ComparisonRow(NamedTuple):
    """A comparison as its table has it, but for id and time; run, context, first and second are ids."""

    run: int
    context: int
    first: int
    second: int
    outcome: str
    p_first: float | None = None
    choice: str = ""
    raw_first: float | None = None
    raw_second: float | None = None
    text: str = ""
    error: str = ""
    raw_tie: float | None = None


class ScoreRow(NamedTuple):
    """A score as its table has it, but for id and time; run, context and candidate are ids."""

    run: int
    context: int
    candidate: int
    outcome: str
    value: float | None = None
    text: str = ""
    error: str = ""


Row = ComparisonRow | ScoreRow


def insert(model: type[models.Model], rows: Sequence[Row], *, skip_known: bool = False) -> None:
    """Store all of the rows, in their order, or none. skip_known: but those that are there already, which stay.

    Into PostgreSQL by COPY, which knows no skipping: where one is there, once more by a statement over arrays. Into
    SQLite by one statement for all. Raises IntegrityError as a model's save does, for a run that is not there, and for
    candidates that are not those of the context beside them.
    """
    if not rows:
        return
    target = _Target(model, rows[0]._fields)
    with transaction.atomic(savepoint=False), connection.cursor() as cursor:
        columns = _columns(rows)
        _require_runs(cursor, set(columns["run"]))
        _require_candidates(cursor, columns)
        if connection.vendor != "postgresql":
            _execute_for_each(cursor, target, rows, skip_known=skip_known)
        elif skip_known:
            _copy_or_skip(cursor, target, list(columns.values()))
        else:
            _copy(cursor, target, list(columns.values()))


class _Target:
    """A table and those of its columns that rows have; created_at comes after them."""

    def __init__(self, model: type[models.Model], names: Sequence[str]) -> None:
        of_model = {field.name: field for field in model._meta.concrete_fields}
        self.fields = [of_model[name] for name in names]
        columns = ", ".join(connection.ops.quote_name(str(of_model[name].column)) for name in (*names, "created_at"))
        self.into = f"{connection.ops.quote_name(model._meta.db_table)} ({columns})"

    def types(self) -> list[str]:
        """Of each column that rows have; texts without their length, to which a cast would cut them."""
        return [
            "text" if isinstance(field, models.CharField) else str(field.db_type(connection)) for field in self.fields
        ]


def _columns(rows: Sequence[Row]) -> dict[str, Column]:
    names = rows[0]._fields
    values = tuple(chain.from_iterable(rows))  # at once: an iterator for each of many rows takes five times as long
    return {name: values[place :: len(names)] for place, name in enumerate(names)}


def _require_runs(cursor: CursorWrapper, runs: Collection[Value]) -> None:
    """Raises IntegrityError where one is not there; those that are stay until the transaction ends.

    In place of a foreign key's check, which PostgreSQL would make for every row.
    """
    missing = set(runs) - _there(cursor, Run, "id", runs).keys()
    if missing:
        raise IntegrityError(f"there is no run {min(map(str, missing))}")


def _require_candidates(cursor: CursorWrapper, columns: Mapping[str, Column]) -> None:
    """Raises IntegrityError where a row's candidates are not those of its context.

    Each is looked up once, whatever the number of its rows, and stays until the transaction ends.
    """
    shown = [columns[name] for name in SHOWN if name in columns]
    context_of = _there(cursor, Candidate, "context_id", set[Value]().union(*shown))
    for candidates in shown:
        if tuple(map(context_of.get, candidates)) != columns["context"]:
            raise IntegrityError(_stray(candidates, columns["context"], context_of))


def _stray(candidates: Column, contexts: Column, context_of: Mapping[Value, Value]) -> str:
    pairs = zip(candidates, contexts, strict=True)
    return next(f"there is no candidate {one} of context {of}" for one, of in pairs if context_of.get(one) != of)


def _there(cursor: CursorWrapper, model: type[models.Model], column: str, ids: Collection[Value]) -> dict[Value, Value]:
    """id -> another column, of those that there are. PostgreSQL is told that none may be deleted meanwhile."""
    asked = f"SELECT id, {column} FROM {model._meta.db_table} WHERE id "
    if connection.vendor == "postgresql":
        cursor.execute(f"{asked} = ANY(%s) FOR KEY SHARE", [list(ids)])
    else:
        cursor.execute(f"{asked} IN (SELECT value FROM json_each(%s))", [json.dumps(list(ids))])
    return dict(cursor.fetchall())


def _execute_for_each(cursor: CursorWrapper, target: _Target, rows: Sequence[Row], *, skip_known: bool) -> None:
    created = connection.ops.adapt_datetimefield_value(timezone.now())
    places = ", ".join(["%s"] * (len(target.fields) + 1))
    conflict = " ON CONFLICT DO NOTHING" if skip_known else ""
    cursor.executemany(f"INSERT INTO {target.into} VALUES ({places}){conflict}", [(*row, created) for row in rows])


def _copy_or_skip(cursor: CursorWrapper, target: _Target, columns: Sequence[Column]) -> None:
    """Mostly none is there: each part of a run is in one pair of hands."""
    try:
        with transaction.atomic():
            _copy(cursor, target, columns)
    except IntegrityError:
        _insert_from_arrays(cursor, target, columns)


def _insert_from_arrays(cursor: CursorWrapper, target: _Target, columns: Sequence[Column]) -> None:
    arrays = ", ".join(f"%s::{kind}[]" for kind in target.types())
    values = [
        _floats(column) if isinstance(field, models.FloatField) else list(column)
        for field, column in zip(target.fields, columns, strict=True)
    ]
    cursor.execute(
        f"INSERT INTO {target.into} SELECT *, %s::timestamptz FROM unnest({arrays}) ON CONFLICT DO NOTHING",
        [timezone.now(), *values],
    )


def _floats(column: Iterable[Any]) -> list[float | None]:
    """All of one type, as an array wants them."""
    return [None if value is None else float(value) for value in column]


def _copy(cursor: CursorWrapper, target: _Target, columns: Sequence[Column]) -> None:
    written = [WRITTEN[kind] for kind in target.types()]
    created = timezone.now()
    statement = f"COPY {target.into} FROM STDIN (FORMAT binary)"
    with connection.wrap_database_errors, cursor.copy(statement) as copy:
        copy.write(HEADER)
        for start in range(0, len(columns[0]), ROWS_AT_ONCE):
            part = [column[start : start + ROWS_AT_ONCE] for column in columns]
            cells = [write(column) for write, column in zip(written, part, strict=True)]
            copy.write(rows_of([*cells, one_moment(created, len(part[0]))]))
        copy.write(TRAILER)
