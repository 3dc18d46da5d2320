"""Read recorded judgments from CSV or JSON Lines, row by row, with empty values left out."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from sys import intern
from typing import Any, Generic, TypedDict, Unpack

from evenhand.csv_text import unescape_formula
from evenhand.file_problems import InvalidFile, ProblemLog, describe_value, list_names
from evenhand.formats.checked_rows import MAX_KEY_LENGTH, CheckedRow, FileRows, clean_name
from evenhand.formats.logs.registry import OpenedLog, find_document_logs, find_row_logs, judgment_rows
from evenhand.formats.mappings.cell_texts import is_missing_score
from evenhand.formats.mappings.table_layouts import RECORDED_LAYOUTS, RecordedColumns
from evenhand.formats.mappings.table_mapping import TableMapping, find_mapping_problems
from evenhand.formats.recorded.recorded_mapping import guess_recorded_mapping, read_mapped_rows
from evenhand.formats.recorded.spooled_records import RecordForm, RecordT, SpooledRecords, find_repeated
from evenhand.formats.source_files import MAX_FILE_BYTES, SourceFile
from evenhand.formats.tables.opening import open_files
from evenhand.formats.temporary_database import StoreIsFull

ChangeRows = Callable[[Iterable[CheckedRow]], Iterable[CheckedRow]]
MOST_JUDGES_NAMED = 20  # in a message


def unchanged(rows: Iterable[CheckedRow]) -> Iterable[CheckedRow]:
    return rows


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


@dataclass(frozen=True, slots=True)
class RecordReader(Generic[RecordT]):
    """Makes a record of each row of files with these columns.

    change_rows: changes the rows before records are made of them.
    key_of: what names a record. repetition: says how a record repeats the first one with its key; "" if it may.
    once: what is expected instead. field: where a repetition is a problem.
    """

    columns: RecordedColumns
    make_record: Callable[[CheckedRow], RecordT]
    form: RecordForm[RecordT]
    key_of: Callable[[RecordT], tuple[str | int, ...]]
    repetition: Callable[[RecordT, RecordT], str]
    once: str
    field: str = ""
    change_rows: ChangeRows = unchanged

    def read(self, files: Sequence[SourceFile], **options: Unpack[ReadOptions]) -> Sequence[RecordT]:
        """Read the records of all files, in order. They are on disk, because a large table needs too much memory.

        Logs of other tools are recognised from their content.
        Raises InvalidFile with every problem of every file, and with the records that were read.
        """
        mapping, notes, judge = options.get("mapping"), options.get("notes"), options.get("judge", "")
        max_bytes, find_names = options.get("max_bytes", MAX_FILE_BYTES), options.get("find_names", unchanged)
        log = ProblemLog([file.name for file in files])
        records = SpooledRecords(self.form)
        try:
            with _open_rows(files, self.columns, log, max_bytes=max_bytes, mapping=mapping) as rows:
                own_rows = _rows_of_judge(rows, clean_name(judge), self.columns.noun, log) if judge else rows
                records.append_all(map(self.make_record, self.change_rows(find_names(own_rows))))
            self._refuse_repeated(records, log)
        except StoreIsFull:
            expected = "files whose records take at most 4 GB, and that much space in the folder of temporary files"
            log.add(files[0].name, None, "", "no space for all its records", expected)
        if notes is not None:
            notes += log.all_notes()
        log.raise_if_any(records=records)
        return records

    def _refuse_repeated(self, records: Sequence[Any], log: ProblemLog) -> None:
        for earlier, record in find_repeated(records, self.key_of):
            if value := self.repetition(earlier, record):
                expected = f"{self.once}; {earlier.file} has it on line {earlier.line}"
                log.add(record.file, record.line, self.field, value, expected)


def pair_again(first: str, second: str) -> str:
    """Describe a repeated pair; "" where a candidate is missing, which is a problem of its own."""
    return f"{describe_value(first)} against {describe_value(second)} again" if first and second else ""


def read_sides(row: CheckedRow) -> tuple[str, str]:
    """Read the identifiers of two candidates."""
    first, second = (row.text(name, max_length=MAX_KEY_LENGTH) for name in ("first", "second"))
    if first and first == second:
        row.add_problem("second", describe_value(second), "a candidate other than first")
    return first, second


def read_whole_number(row: CheckedRow, key: str, maximum: int) -> int:
    """Read a whole number of at least 0; 0 if the key is missing."""
    number = row.number(key, 0, maximum) or 0.0 if key in row.values else 0.0
    if not number.is_integer():
        row.add_problem(key, row.describe(key), "a whole number")
    return int(number)


def _rows_of_judge(rows: Iterable[CheckedRow], judge: str, noun: str, log: ProblemLog) -> Iterator[CheckedRow]:
    """Yield the rows of this judge, and rows that name none. Other judges are noted, or a problem if no row is left."""
    others: dict[str, str] = {}
    is_used = False
    for row in rows:
        name = str(row.values.get("judge", judge))
        if clean_name(name) == judge:
            is_used = True
            yield row
        else:
            log.count(f"not used, {noun} of other judges", describe_value(name))
            if len(others) < MOST_JUDGES_NAMED:
                others[name] = row.file
    if others and not is_used:
        expected = f"a judge of the file: {list_names(tuple(others))}; or no name, for all of them"
        log.add(next(iter(others.values())), None, "judge", describe_value(judge), expected)


@contextmanager
def _open(
    files: Sequence[SourceFile],
    columns: RecordedColumns,
    log: ProblemLog,
    *,
    max_bytes: int,
    mapping: TableMapping | None = None,
) -> Iterator[tuple[Sequence[OpenedLog], Sequence[FileRows]]]:
    """Open logs of other tools, or else tables. Replies, and what a layout maps, are in tables."""
    in_columns = columns.in_replies or bool(mapping and mapping.layout)
    logs = [] if in_columns else find_document_logs(files, log)
    with open_files([] if logs else files, log, max_bytes=max_bytes) as opened:
        yield logs or ([] if in_columns or len(log) else find_row_logs(opened, mapping)), opened


@contextmanager
def _open_rows(
    files: Sequence[SourceFile],
    columns: RecordedColumns,
    log: ProblemLog,
    *,
    max_bytes: int,
    mapping: TableMapping | None,
) -> Iterator[Iterable[CheckedRow]]:
    with _open(files, columns, log, max_bytes=max_bytes, mapping=mapping) as (logs, opened):
        if logs:
            yield judgment_rows(logs, log, noun=columns.noun)
        elif mapping:
            named = TableMapping(columns.layout, mapping.columns, mapping.choices)
            if problems := list(find_mapping_problems(named, RECORDED_LAYOUTS)):
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
    with _open(files, columns, log, max_bytes=max_bytes) as (logs, opened):
        if logs or not opened or len(log) or not opened[0].columns:
            return None
        names = set(opened[0].columns)
        guess = guess_recorded_mapping(opened[0], columns)
        is_ours = names <= {*columns.all()} and names.issuperset(columns.needed)
        return None if is_ours and not guess.sides_by_name else guess


def _read_rows(file: FileRows, columns: RecordedColumns, log: ProblemLog) -> Iterator[CheckedRow]:
    """Yield the rows of our own columns. Missing and unknown ones are logged, so that a misspelled one loses no data.

    Our exports put apostrophes before texts that look like formulas, in tables alone.
    """
    known = columns.all()
    for row in file if not file.is_table or _has_good_columns(file, columns, log) else ():
        if not file.is_table:
            row.refuse_unknown_keys(known)
        filled = {key: cell for key, cell in row.values.items() if cell is not None and cell != ""}
        if file.is_table:
            filled = {key: unescape_formula(str(cell)) for key, cell in filled.items()}
        could_fill = file.columns if file.is_table else row.values
        yield _mark_unparsed(replace(row, values=filled), could_fill, columns.answers)


def _has_good_columns(file: FileRows, columns: RecordedColumns, log: ProblemLog) -> bool:
    for name in file.columns:
        if name not in columns.all():
            log.add(file.name, 1, "", f"unknown column {describe_value(name)}", f"one of {', '.join(columns.all())}")
    return file.has_columns(columns.needed, log)


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


MAX_THINKING_TOKENS = 2**31 - 1  # the database column holds no larger number
CUT_OR_EMPTY = ("empty-reasoning", "cut-reasoning")
PROBLEMS_BY_OUTCOME = {
    "answered": CUT_OR_EMPTY,
    "unparsed": (
        *CUT_OR_EMPTY,
        *("verdict-in-reasoning", "two-verdicts", "refusal", "no-verdict"),
        *("ignored-parameter", "unknown-probability", "other-model"),
    ),
    "error": (),
}


def read_thinking(row: CheckedRow, *, outcome: str) -> dict[str, Any]:
    """Read the thinking of an answer. outcome: of the answer; it decides which problems are possible."""
    return {
        "thinking": row.optional_text("thinking"),
        "thinking_tokens": read_whole_number(row, "thinking_tokens", MAX_THINKING_TOKENS),
        "problem": _read_problem(row, PROBLEMS_BY_OUTCOME[outcome]),
    }


def _read_problem(row: CheckedRow, possible: tuple[str, ...]) -> str:
    if "problem" not in row.values:
        return ""
    if not possible:
        row.add_problem("problem", row.describe("problem"), "no problem for an error")
        return ""
    return intern(row.choice("problem", {problem: problem for problem in possible}))
