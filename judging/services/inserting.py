"""Many rows into one table as fast as its database takes them, without making a model of each."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from django.db import IntegrityError, connection, models, transaction
from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from judging.models import Candidate

LINES_AT_ONCE = 1_000  # the database reads one part while the next is written out

SHOWN = ("first", "second", "candidate")
ESCAPED = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})

Value = str | int | float | None


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
    SQLite by one statement for all. Raises IntegrityError as a model's save does, and for candidates that are not those
    of the context beside them; the run is looked at when the transaction ends.
    """
    if not rows:
        return
    target = _Target(model, rows[0]._fields)
    with transaction.atomic(savepoint=False), connection.cursor() as cursor:
        _require_candidates(cursor, rows)
        if connection.vendor != "postgresql":
            _execute_for_each(cursor, target, rows, skip_known=skip_known)
        elif skip_known:
            _copy_or_skip(cursor, target, rows)
        else:
            _copy(cursor, target, rows)


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


def _require_candidates(cursor: CursorWrapper, rows: Sequence[Row]) -> None:
    """Raises IntegrityError where a row's candidates are not those of its context.

    Each is looked up once, whatever the number of its rows, and in PostgreSQL kept from being deleted until the
    transaction ends, as a foreign key's check would do for every row.
    """
    columns = dict(zip(rows[0]._fields, zip(*rows, strict=True), strict=True))
    shown = [columns[name] for name in SHOWN if name in columns]
    context_of = _contexts(cursor, set[Value]().union(*shown))
    for candidates in shown:
        for candidate, context in set(zip(candidates, columns["context"], strict=True)):
            if context_of.get(candidate) != context:
                raise IntegrityError(f"there is no candidate {candidate} of context {context}")


def _contexts(cursor: CursorWrapper, candidates: Collection[Value]) -> dict[Value, int]:
    """candidate -> its context, of those that there are."""
    asked = f"SELECT id, context_id FROM {Candidate._meta.db_table} WHERE id "
    if connection.vendor == "postgresql":
        cursor.execute(f"{asked} = ANY(%s) FOR KEY SHARE", [list(candidates)])
    else:
        cursor.execute(f"{asked} IN (SELECT value FROM json_each(%s))", [json.dumps(list(candidates))])
    return dict(cursor.fetchall())


def _execute_for_each(cursor: CursorWrapper, target: _Target, rows: Sequence[Row], *, skip_known: bool) -> None:
    created = connection.ops.adapt_datetimefield_value(timezone.now())
    places = ", ".join(["%s"] * (len(target.fields) + 1))
    conflict = " ON CONFLICT DO NOTHING" if skip_known else ""
    cursor.executemany(f"INSERT INTO {target.into} VALUES ({places}){conflict}", [(*row, created) for row in rows])


def _copy_or_skip(cursor: CursorWrapper, target: _Target, rows: Sequence[Row]) -> None:
    """Mostly none is there: each part of a run is in one pair of hands."""
    try:
        with transaction.atomic():
            _copy(cursor, target, rows)
    except IntegrityError:
        _insert_from_arrays(cursor, target, rows)


def _insert_from_arrays(cursor: CursorWrapper, target: _Target, rows: Sequence[Row]) -> None:
    arrays = ", ".join(f"%s::{kind}[]" for kind in target.types())
    columns = [
        _floats(column) if isinstance(field, models.FloatField) else list(column)
        for field, column in zip(target.fields, zip(*rows, strict=True), strict=True)
    ]
    cursor.execute(
        f"INSERT INTO {target.into} SELECT *, %s::timestamptz FROM unnest({arrays}) ON CONFLICT DO NOTHING",
        [timezone.now(), *columns],
    )


def _floats(column: Iterable[float | None]) -> list[float | None]:
    """All of one type, as an array wants them."""
    return [None if value is None else float(value) for value in column]


def _copy(cursor: CursorWrapper, target: _Target, rows: Sequence[Row]) -> None:
    created = timezone.now().isoformat()
    with connection.wrap_database_errors, cursor.copy(f"COPY {target.into} FROM STDIN") as copy:
        for start in range(0, len(rows), LINES_AT_ONCE):
            part = rows[start : start + LINES_AT_ONCE]
            cells = [_cells(column) for column in zip(*part, strict=True)]
            copy.write("\n".join(map("\t".join, zip(*cells, [created] * len(part), strict=True))) + "\n")


def _cells(column: Sequence[Value]) -> list[str]:
    """A column in the text format of COPY; each of its values is written out once."""
    cell_of = {value: _cell(value) for value in set(column)}
    return [cell_of[value] for value in column]


def _cell(value: Value) -> str:
    if value is None:
        return r"\N"
    return value.translate(ESCAPED) if isinstance(value, str) else str(value)
