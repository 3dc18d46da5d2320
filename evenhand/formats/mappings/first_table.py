"""The first table of several files: a guess of its mapping, its columns, and its first rows."""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from evenhand.file_problems import InvalidFile, Problem, ProblemLog
from evenhand.formats.checked_rows import FileRows
from evenhand.formats.mappings.column_values import ColumnValues, sample_columns
from evenhand.formats.mappings.mapping_guess import guess_mapping
from evenhand.formats.mappings.row_preview import RowPreview, preview_rows
from evenhand.formats.mappings.table_mapping import TableMapping
from evenhand.formats.source_files import MAX_FILE_BYTES, SourceFile
from evenhand.formats.tables.opening import open_files


def guess_dataset_mapping(
    files: Sequence[SourceFile], layout: str = "", *, max_bytes: int = MAX_FILE_BYTES
) -> TableMapping:
    """Guess the mapping of files. layout: "" to guess it too. Raises InvalidFile if no file can be read."""
    with _first_table(files, max_bytes=max_bytes) as table:
        return guess_mapping([table], layout)


def sample_dataset_columns(files: Sequence[SourceFile], *, max_bytes: int = MAX_FILE_BYTES) -> list[ColumnValues]:
    """Return the columns of the first file, with their first values. Raises InvalidFile if no file can be read."""
    with _first_table(files, max_bytes=max_bytes) as table:
        return sample_columns(table)


def preview_dataset_rows(
    files: Sequence[SourceFile], mapping: TableMapping, *, max_bytes: int = MAX_FILE_BYTES
) -> RowPreview:
    """Return the first rows of the first file as they will be read. Raises InvalidFile if no file can be read."""
    with _first_table(files, max_bytes=max_bytes) as table:
        return preview_rows(table, mapping)


def find_unreadable_lines(files: Sequence[SourceFile], *, max_bytes: int = MAX_FILE_BYTES) -> InvalidFile | None:
    """Return the problems of all lines that cannot be read, whatever their columns mean; None if there are none."""
    log = ProblemLog([file.name for file in files])
    try:
        with open_files(files, log, max_bytes=max_bytes) as opened:
            for file in opened:
                deque(file, maxlen=0)
        log.raise_if_any()
    except InvalidFile as invalid:
        return invalid
    return None


@contextmanager
def _first_table(files: Sequence[SourceFile], *, max_bytes: int) -> Iterator[FileRows]:
    log = ProblemLog([file.name for file in files])
    with open_files(files, log, max_bytes=max_bytes) as opened:
        if not opened:
            log.raise_if_any()
            raise InvalidFile([Problem("", None, "", "no file", "at least one")])
        yield opened[0]
