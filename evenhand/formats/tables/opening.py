"""Open files of every type as rows."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from evenhand.file_problems import ProblemLog
from evenhand.formats.checked_rows import CheckedRow, FileRows
from evenhand.formats.source_files import SourceFile, is_small_enough, is_text
from evenhand.formats.tables.archives import is_archive, is_workbook, unpack_archives
from evenhand.formats.tables.csv_table import open_csv
from evenhand.formats.tables.json_objects import open_json
from evenhand.formats.tables.parquet_table import open_parquet

_IMPORT_ID = '{"ImportId"'


@contextmanager
def open_files(
    files: Sequence[SourceFile], log: ProblemLog, *, max_bytes: int, is_table: bool | None = None
) -> Iterator[list[FileRows]]:
    """Open each file and each table of an archive. Log and leave out those that cannot be read.

    is_table: True to read texts as CSV, False as JSON, None to recognise it from the content.
    """
    small = [file for file in files if is_small_enough(file, log, max_bytes=max_bytes)]
    with TemporaryDirectory(prefix="evenhand-") if any(map(is_archive, small)) else nullcontext("") as folder:
        unpacked = unpack_archives(small, Path(folder), log, max_bytes=max_bytes)
        opened = (_open_file(file, log, is_table, max_bytes) for file in unpacked)
        yield [_without_further_headers(rows, log) for rows in opened if rows]


def _without_further_headers(file: FileRows, log: ProblemLog) -> FileRows:
    """Leave out the questions and import identifiers that Qualtrics writes below the header, and note it."""
    below = file.peek(2)
    cells = [[str(cell).startswith(_IMPORT_ID) for cell in row.values.values()] for row in below]
    headers = next((below[: number + 1] for number, found in enumerate(cells) if found and all(found)), [])
    if not headers:
        return file
    log.notes.append(f"{file.name}: further headers, not read: lines {' and '.join(str(row.line) for row in headers)}")

    def read_below(log: ProblemLog) -> Generator[CheckedRow]:
        with closing(file.open_rows(log)) as rows:
            yield from islice(rows, len(headers), None)

    return replace(file, open_rows=read_below)


def _open_file(file: SourceFile, log: ProblemLog, is_table: bool | None, max_bytes: int) -> FileRows | None:
    if file.start().startswith(b"PAR1\x15"):  # the letters alone may begin a text
        return open_parquet(file, log)
    if is_workbook(file):
        from evenhand.formats.tables.xlsx_table import open_xlsx

        return open_xlsx(file, log, max_bytes=max_bytes)
    if not is_text(file, log):
        return None
    as_table = is_table if is_table is not None else not _looks_like_json(file)
    return open_csv(file, log) if as_table else open_json(file, log)


def _looks_like_json(file: SourceFile) -> bool:
    with file.open_text(newline="\n") as stream:
        while character := stream.read(1):
            if not character.isspace():
                return character in "{["
    return False
