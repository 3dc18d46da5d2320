"""Recorded judgments, CSV or JSON Lines -> rows in which what is empty is not there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judging.formats.csv_text import read_table
from judging.formats.formulas import cell_to_text
from judging.formats.json_text import read_objects
from judging.formats.problems import ProblemLog, shown
from judging.formats.rows import FileRows, Row
from judging.formats.sources import SourceFile, decode_all


@dataclass(frozen=True, slots=True)
class Columns:
    """What a file of recorded judgments has. ignored: what exports add for people to read."""

    required: tuple[str, ...]
    optional: tuple[str, ...]
    ignored: tuple[str, ...]

    def all(self) -> tuple[str, ...]:
        return (*self.required, *self.optional, *self.ignored)


def read_recorded(files: Sequence[SourceFile], columns: Columns, log: ProblemLog, *, max_bytes: int) -> list[Row]:
    """The rows of all files; columns that are missing or unknown are logged, so that a typing error loses no data."""
    rows: list[Row] = []
    for text in decode_all(files, log, max_bytes=max_bytes):
        file = read_objects(text, log) if text.looks_like_json else read_table(text, log)
        if file and file.is_table:
            rows += map(_without_apostrophes, file.rows) if _has_good_columns(file, columns, log) else ()
        elif file:
            known = columns.all()
            rows += [_without_empty(row, known) for row in file.rows]
    return rows


def _has_good_columns(file: FileRows, columns: Columns, log: ProblemLog) -> bool:
    for name in file.columns:
        if name not in columns.all():
            log.add(file.name, 1, "", f"unknown column {shown(name)}", f"one of {', '.join(columns.all())}")
    return file.has_columns(columns.required, log)


def _without_empty(row: Row, known: tuple[str, ...]) -> Row:
    row.refuse_others(known)
    values = {key: value for key, value in row.values.items() if value is not None and value != ""}
    return Row(row.file, row.line, values, row.log)


def _without_apostrophes(row: Row) -> Row:
    """The row without what our exports put before texts that look like formulas."""
    values = {key: cell_to_text(cell) if isinstance(cell, str) else cell for key, cell in row.values.items()}
    return replace(row, values=values)
