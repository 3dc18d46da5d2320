"""Read recorded judgments from CSV or JSON Lines, row by row, with empty values left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypedDict, Unpack

from judging.file_problems import InvalidFile, ProblemLog, describe_value, list_names
from judging.formats.checked_rows import CheckedRow, FileRows, clean_name
from judging.formats.logs.registry import find_document_logs, find_row_logs, judgment_rows
from judging.formats.mappings.reading_notes import is_missing_score
from judging.formats.mappings.table_mapping import RECORDED_FIELDS, TableMapping, find_mapping_problems
from judging.formats.recorded.recorded_mapping import guess_recorded_mapping, read_mapped_rows
from judging.formats.recorded.spooled_records import RecordForm, RecordT, SpooledRecords
from judging.formats.source_files import MAX_FILE_BYTES, SourceFile
from judging.formats.tables.opening import open_files
from judging.formats.temporary_database import StoreIsFull
from judging.spreadsheet_formulas import unescape_formula

ChangeRows = Callable[[Iterable[CheckedRow]], Iterable[CheckedRow]]
MOST_JUDGES_NAMED = 20  # in a message


def unchanged(rows: Iterable[CheckedRow]) -> Iterable[CheckedRow]:
    return rows


@dataclass(frozen=True, slots=True)
class RecordedColumns:
    """The columns of a file of recorded judgments.

    noun: comparisons, scores or votes. ignored: exports write them for people to read.
    in_replies: the answers are in the texts of replies. answers: a line with none of these is unparsed.
    """

    noun: str
    required: tuple[str, ...]
    optional: tuple[str, ...]
    ignored: tuple[str, ...]
    in_replies: bool = False
    answers: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The noun, and where the answers are if they have no columns of their own."""
        return f"{self.noun} in replies" if self.in_replies else self.noun

    @property
    def layout(self) -> str:
        """The layout of mappings to these columns."""
        return f"recorded-{self.noun}{'-in-replies' if self.in_replies else ''}"

    @property
    def needed(self) -> set[str]:
        """The columns that every file has. A dataset may have only one attribute."""
        return {*self.required} - {"attribute"}

    def all(self) -> tuple[str, ...]:
        return (*self.required, *self.optional, *self.ignored)


class ReadOptions(TypedDict, total=False):
    """Options of every reader of recorded judgments.

    max_bytes: size of the largest file that is read. mapping: of a table with other columns.
    notes: receives what was not used. judge: the only judge to read, of a file that names its judges.
    find_names: puts identifiers in place of the texts that name contexts and candidates.
    """

    max_bytes: int
    mapping: TableMapping | None
    notes: list[str] | None
    judge: str
    find_names: ChangeRows


def read_recorded(
    files: Sequence[SourceFile],
    columns: RecordedColumns,
    *,
    make_record: Callable[[CheckedRow], RecordT],
    form: RecordForm[RecordT],
    refuse_repeated: Callable[[Sequence[RecordT], ProblemLog], None],
    change_rows: ChangeRows = unchanged,
    **options: Unpack[ReadOptions],
) -> Sequence[RecordT]:
    """Make a record of each row of all files. The records are on disk, because a large table needs too much memory.

    refuse_repeated: logs each record that repeats an earlier one.
    change_rows: changes the rows before records are made of them.
    Logs of other tools are recognised from their content.
    Raises InvalidFile with every problem of every file, and with the records that were read.
    """
    mapping, notes, judge = options.get("mapping"), options.get("notes"), options.get("judge", "")
    max_bytes, find_names = options.get("max_bytes", MAX_FILE_BYTES), options.get("find_names", unchanged)
    log = ProblemLog([file.name for file in files])
    records = SpooledRecords(form)
    try:
        with _open_rows(files, columns, log, max_bytes=max_bytes, mapping=mapping) as rows:
            own_rows = _rows_of_judge(rows, clean_name(judge), columns.noun, log) if judge else rows
            records.append_all(map(make_record, change_rows(find_names(own_rows))))
        refuse_repeated(records, log)
    except StoreIsFull:
        expected = "files whose records fit into 4 GB together, and that much space in the folder of temporary files"
        log.add(files[0].name, None, "", "no space for all its records", expected)
    if notes is not None:
        notes += log.all_notes()
    log.raise_if_any(records=records)
    return records


def _rows_of_judge(rows: Iterable[CheckedRow], judge: str, noun: str, log: ProblemLog) -> Iterator[CheckedRow]:
    """Yield the rows of this judge, and rows that name none. Other judges are noted, or a problem if no row is left."""
    others: dict[str, None] = {}
    unused, used, file = 0, 0, ""
    for row in rows:
        name = row.values.get("judge", judge)
        if clean_name(str(name)) == judge:
            used += 1
            yield row
            continue
        unused, file = unused + 1, row.file
        if len(others) < MOST_JUDGES_NAMED:
            others[str(name)] = None
    if unused and used:
        log.notes.append(f"not used: {unused:,} {noun} of other judges: {list_names(tuple(others))}")
    elif unused:
        expected = f"a judge of the file: {list_names(tuple(others))}; or no name, for all of them"
        log.add(file, None, "judge", describe_value(judge), expected)


@contextmanager
def _open_rows(
    files: Sequence[SourceFile],
    columns: RecordedColumns,
    log: ProblemLog,
    *,
    max_bytes: int,
    mapping: TableMapping | None,
) -> Iterator[Iterable[CheckedRow]]:
    """Open the files and yield their rows. Missing and unknown columns are logged, so that a misspelled column loses
    no data."""
    in_columns = columns.in_replies or bool(mapping and mapping.layout)
    if not in_columns and (logs := find_document_logs(files, log)):
        yield judgment_rows(logs, log, noun=columns.noun)
        return
    with open_files(files, log, max_bytes=max_bytes) as opened:
        if not in_columns and not len(log) and (logs := find_row_logs(opened, mapping)):
            yield judgment_rows(logs, log, noun=columns.noun)
        elif mapping:
            named = TableMapping(columns.layout, mapping.columns, mapping.choices)
            if problems := list(find_mapping_problems(named, RECORDED_FIELDS)):
                raise InvalidFile(problems)
            mapped = (row for file in opened for row in read_mapped_rows(file, named, log))
            yield (_mark_unparsed(row, named.columns, columns.answers) for row in mapped)
        else:
            yield (row for file in opened for row in _read_rows(file, columns, log))


def first_row_names_judge(files: Sequence[SourceFile], columns: RecordedColumns, *, max_bytes: int) -> bool:
    """Return True if the first row of files that need no mapping names its judge."""
    with _open_rows(files, columns, ProblemLog(), max_bytes=max_bytes, mapping=None) as rows:
        return any("judge" in row.values for row in islice(rows, 1))


def guess_columns(
    files: Sequence[SourceFile], columns: RecordedColumns, *, max_bytes: int = MAX_FILE_BYTES
) -> TableMapping | None:
    """Guess the mapping of a table; None for files that need none: our own columns, and logs of other tools."""
    log = ProblemLog()
    if not files or (not columns.in_replies and find_document_logs(files, log)):
        return None
    with open_files(files, log, max_bytes=max_bytes) as opened:
        is_log = not columns.in_replies and bool(find_row_logs(opened))
        if not opened or len(log) or is_log or not opened[0].columns:
            return None
        names = set(opened[0].columns)
        guess = guess_recorded_mapping(opened[0], columns.layout, (*columns.required, *columns.optional))
        is_ours = names <= set(columns.all()) and names >= columns.needed
        return None if is_ours and not guess.sides_by_name else guess


def _read_rows(file: FileRows, columns: RecordedColumns, log: ProblemLog) -> Iterator[CheckedRow]:
    if not file.is_table:
        known = columns.all()
        yield from (_mark_unparsed(_drop_empty_values(row, known), row.values, columns.answers) for row in file)
    elif _has_good_columns(file, columns, log):
        yield from (_mark_unparsed(_unescape_formulas(row), file.columns, columns.answers) for row in file)


def _has_good_columns(file: FileRows, columns: RecordedColumns, log: ProblemLog) -> bool:
    for name in file.columns:
        if name not in columns.all():
            log.add(file.name, 1, "", f"unknown column {describe_value(name)}", f"one of {', '.join(columns.all())}")
    return file.has_columns([name for name in columns.required if name in columns.needed], log)


def _drop_empty_values(row: CheckedRow, known: tuple[str, ...]) -> CheckedRow:
    row.refuse_unknown_keys(known)
    values = {key: value for key, value in row.values.items() if value is not None and value != ""}
    return CheckedRow(row.file, row.line, values, row.log)


def _mark_unparsed(row: CheckedRow, columns: Collection[str], answers: tuple[str, ...]) -> CheckedRow:
    """Return the row with the outcome in place of an empty answer. Without a column for the answer it stays a problem.

    columns: those that the row could fill.
    """
    missing = [name for name in answers if is_missing_score(row.values.get(name, "na"))]
    if not missing or set(answers).isdisjoint(columns):
        return row
    values = {name: value for name, value in row.values.items() if name not in missing}
    if missing == ["p_first", "choice"]:
        values["choice"] = "error" if "error" in values else "unparsed"
    return replace(row, values=values)


def _unescape_formulas(row: CheckedRow) -> CheckedRow:
    """Remove the apostrophes that our exports put before texts that look like formulas."""
    values = {key: unescape_formula(cell) if isinstance(cell, str) else cell for key, cell in row.values.items()}
    return replace(row, values=values)
