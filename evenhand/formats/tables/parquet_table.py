"""Read a Parquet file, row by row."""

import datetime
from collections.abc import Generator
from decimal import Decimal
from typing import Any

from evenhand.file_problems import ProblemLog
from evenhand.formats.checked_rows import CheckedRow, FileRows
from evenhand.formats.source_files import SourceFile
from evenhand.formats.tables.csv_table import has_good_names

ROWS_PER_BATCH = 50
MAX_ROW_GROUP_BYTES = 200_000_000  # unpacked, of one column

_BROKEN = (OSError, ValueError, LookupError, OverflowError, MemoryError)  # besides pyarrow's own errors


def open_parquet(file: SourceFile, log: ProblemLog) -> FileRows | None:
    """Open a Parquet file. Return None and log the problem if it cannot be read."""
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        with file.open() as stream, parquet.ParquetFile(stream) as table:
            columns = tuple(table.schema_arrow.names)
            is_good = _has_small_row_groups(file, table.metadata, log)
    except (pyarrow.ArrowException, *_BROKEN) as error:
        log.add(file.name, None, "", f"not readable as Parquet: {_first_line(error)}", "a whole Parquet file")
        return None
    if not is_good or not has_good_names(file.name, 1, columns, log):
        return None
    return FileRows(file.name, columns, log, open_rows=lambda log: _read_rows(file, log), is_table=False)


def _has_small_row_groups(file: SourceFile, metadata: Any, log: ProblemLog) -> bool:  # noqa: ANN401 - pyarrow's
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    sizes = (group.column(number).total_uncompressed_size for group in groups for number in range(group.num_columns))
    largest = max(sizes, default=0)
    if largest <= MAX_ROW_GROUP_BYTES:
        return True
    expected = f"at most {MAX_ROW_GROUP_BYTES:,} bytes; write it with smaller row groups"
    log.add(file.name, None, "", f"a row group of {largest:,} bytes", expected)
    return False


def _read_rows(file: SourceFile, log: ProblemLog) -> Generator[CheckedRow]:
    import pyarrow
    import pyarrow.parquet as parquet

    line = 0
    try:
        with file.open() as stream, parquet.ParquetFile(stream, pre_buffer=False, buffer_size=2**20) as table:
            for batch in table.iter_batches(ROWS_PER_BATCH, use_threads=False):
                for values in batch.to_pylist():
                    line += 1
                    row = {name: _plain(value) for name, value in values.items() if value is not None}
                    yield CheckedRow(file.name, line, row, log)
    except (pyarrow.ArrowException, *_BROKEN) as error:
        log.add(file.name, line + 1, "", f"not readable as Parquet: {_first_line(error)}", "a whole Parquet file")


def _plain(value: object) -> object:
    """Turn numbers and dates of Parquet into those of JSON."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return value


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
