"""Recorded judgments, CSV or JSON Lines -> rows in which what is empty is not there."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from judging.formats.checked_rows import FileRows, Row
from judging.formats.csv_text import open_table
from judging.formats.json_text import read_objects
from judging.formats.problems import ProblemLog, shown
from judging.formats.source_files import SourceFile, SourceText, decode_all
from judging.formats.spreadsheet_formulas import cell_to_text

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Columns:
    """What a file of recorded judgments has. ignored: what exports add for people to read."""

    required: tuple[str, ...]
    optional: tuple[str, ...]
    ignored: tuple[str, ...]

    def all(self) -> tuple[str, ...]:
        return (*self.required, *self.optional, *self.ignored)


def read_recorded(
    files: Sequence[SourceFile],
    columns: Columns,
    log: ProblemLog,
    *,
    record_of: Callable[[Row], Record],
    max_bytes: int,
) -> list[Record]:
    """What `record_of` makes of the rows of all files, one by one: of a large table all rows take too much memory.

    Columns that are missing or unknown are logged, so that a typing error loses no data.
    """
    texts = decode_all(files, log, max_bytes=max_bytes)
    return [record_of(row) for text in texts for row in _rows(text, columns, log)]


def may_repeat(keys: Iterable[Hashable], *, number: int) -> bool:
    """Whether some of so many may be equal; False where all are different. Held are their hashes alone."""
    return len(set(map(hash, keys))) < number


def _rows(text: SourceText, columns: Columns, log: ProblemLog) -> Iterator[Row]:
    if text.looks_like_json:
        known = columns.all()
        yield from (_without_empty(row, known) for row in read_objects(text, log).rows)
        return
    with open_table(text, log) as table:
        if table is None:
            return
        header = FileRows(text.name, table.columns, (), is_table=True)
        is_good = _has_good_columns(header, columns, log)
        yield from (_without_apostrophes(row) for row in table.rows if is_good)


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
