"""Bulk inserts of comparisons and scores, without a model instance per row."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from django.db import IntegrityError, connection, models, transaction
from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from judging.models import Candidate

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # PostgreSQL refuses U+0000; every database refuses lone surrogates


class ComparisonRow(NamedTuple):
    """Columns of a new comparison; run, context, first and second are ids."""

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
    thinking: str = ""
    thinking_tokens: int = 0
    p_first_before: float | None = None
    problem: str = ""
    is_null_pair: bool = False

    @property
    def candidates(self) -> tuple[int, ...]:
        return self.first, self.second


class ScoreAnswerRow(NamedTuple):
    """Columns of a new score; run, context and candidate are ids."""

    run: int
    context: int
    candidate: int
    outcome: str
    value: float | None = None
    text: str = ""
    error: str = ""
    thinking: str = ""
    thinking_tokens: int = 0
    value_before: float | None = None
    problem: str = ""

    @property
    def candidates(self) -> tuple[int, ...]:
        return (self.candidate,)


AnswerRow = ComparisonRow | ScoreAnswerRow


def insert(model: type[models.Model], rows: Sequence[AnswerRow], *, skip_known: bool = False) -> bool:
    """Store all rows in order, or none. Returns False if every row was skipped.

    skip_known: skip a row if the run already has one about the same candidates.

    Raises IntegrityError for a row that breaks a constraint, and for a candidate of another context, which no
    constraint covers. The database checks foreign keys when the transaction ends.
    """
    if not rows:
        return True
    _require_candidates_of_their_contexts(rows)
    write = _copy if connection.vendor == "postgresql" else _insert_each
    try:
        with transaction.atomic(savepoint=skip_known), connection.cursor() as cursor:
            write(cursor, _target(model, rows[0]), rows)
        return True
    except IntegrityError:
        if not skip_known:
            raise
        # Rare: another worker has stored one of the rows. COPY cannot skip it.
        with transaction.atomic(savepoint=False), connection.cursor() as cursor:
            _insert_each(cursor, _target(model, rows[0]), rows, on_conflict="ON CONFLICT DO NOTHING")
            return cursor.rowcount != 0


def storable(text: str) -> str:
    """Replace characters that a database refuses by U+FFFD.

    An endpoint may cut its text within a character and send half of a surrogate pair.
    """
    return UNSTORABLE.sub("\ufffd", text)


def _require_candidates_of_their_contexts(rows: Sequence[AnswerRow]) -> None:
    wanted = {(row.context, candidate) for row in rows for candidate in row.candidates}
    candidates = Candidate.objects.filter(context__in={context for context, _ in wanted}).order_by()
    if stray := wanted.difference(candidates.values_list("context", "pk").iterator()):
        context, candidate = min(stray)
        raise IntegrityError(f"there is no candidate {candidate} of context {context}")


def _target(model: type[models.Model], row: AnswerRow) -> str:
    """Return the table and its columns in SQL; created_at comes last."""
    column_of = {field.name: str(field.column) for field in model._meta.concrete_fields}
    columns = ", ".join(column_of[name] for name in (*row._fields, "created_at"))
    return f"{model._meta.db_table} ({columns})"


def _copy(cursor: CursorWrapper, target: str, rows: Sequence[AnswerRow]) -> None:
    created = timezone.now().isoformat()
    with connection.wrap_database_errors, cursor.copy(f"COPY {target} FROM STDIN") as copy:
        for row in rows:
            copy.write_row((*row, created))


def _insert_each(cursor: CursorWrapper, target: str, rows: Sequence[AnswerRow], on_conflict: str = "") -> None:
    created = connection.ops.adapt_datetimefield_value(timezone.now())
    values = ", ".join(["%s"] * (len(rows[0]) + 1))
    cursor.executemany(f"INSERT INTO {target} VALUES ({values}) {on_conflict}", [(*row, created) for row in rows])
