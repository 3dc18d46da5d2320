"""Read the first sheet of an XLSX workbook, row by row. Its cells become texts, as in CSV."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Generator
from contextlib import closing
from itertools import islice

from judging.file_problems import ProblemLog
from judging.formats.checked_rows import CheckedRow, FileRows, TableRow
from judging.formats.source_files import SourceFile
from judging.formats.tables.archives import BROKEN_ZIP
from judging.formats.tables.csv_table import has_good_names
from judging.formats.tables.title_rows import COMPARED_LINES, refuse_title
from judging.formats.tables.xlsx_workbook import open_first_sheet
from judging.units import counted

_BROKEN = (*BROKEN_ZIP, TypeError, AttributeError, SyntaxError)  # the last three: wrong XML in it


def open_xlsx(file: SourceFile, log: ProblemLog, *, max_bytes: int) -> FileRows | None:
    """Open the first sheet of a workbook. Return None and log the problem if it has no usable header.

    max_bytes: of the workbook's files together, unpacked.
    """
    if not _is_small(file, log, max_bytes):
        return None
    first: list[tuple[int, list[str]]] = []
    try:
        with open_first_sheet(file) as sheet:
            log.note_ignored_sheets(file.name, sheet.other_sheets)
        with closing(_read_cells(file)) as lines:
            first.extend(islice(lines, COMPARED_LINES + 1))
    except _BROKEN as error:
        log.add(
            file.name, first[-1][0] if first else None, "", f"not readable as XLSX: {error}", "a whole workbook, or CSV"
        )
        return None
    (line, header), *below = first or [(1, [])]
    columns = tuple(name.strip() for name in _without_empty_end(header))
    if not columns:
        log.add(file.name, None, "", "the first sheet is empty", "a table with a header")
        return None
    if refuse_title(file.name, (line, columns), below, log, advice=""):
        return None
    if not has_good_names(file.name, line, columns, log):
        return None
    return FileRows(file.name, columns, log, open_rows=lambda log: _read_rows(file, columns, log), is_table=True)


def _is_small(file: SourceFile, log: ProblemLog, max_bytes: int) -> bool:
    with file.open() as stream, zipfile.ZipFile(stream) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > max_bytes:
        log.add(file.name, None, "", f"{size:,} bytes unpacked", f"at most {max_bytes:,} bytes; split the workbook")
    return size <= max_bytes


def _read_rows(file: SourceFile, columns: tuple[str, ...], log: ProblemLog) -> Generator[CheckedRow]:
    line = 1
    try:
        for line, cells in islice(_read_cells(file), 1, None):
            cells = _without_empty_end(cells)
            if len(cells) <= len(columns):
                values = {name: cell for name, cell in zip(columns, cells, strict=False) if cell}
                yield TableRow(file.name, line, values, log)
            else:
                expected = f"at most {counted(len(columns), 'cell')}, as in the header"
                log.add(file.name, line, "", counted(len(cells), "cell"), expected)
    except _BROKEN as error:
        log.add(file.name, line, "", f"not readable as XLSX: {error}", "a whole workbook, or CSV")


def _read_cells(file: SourceFile) -> Generator[tuple[int, list[str]]]:
    """Yield the cells of each row that is not empty, with its number."""
    with open_first_sheet(file) as sheet:
        for line, values in sheet.rows():
            cells = [_cell_text(value) for value in values]
            if any(cells):
                yield line, cells


def _cell_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)


def _without_empty_end(cells: list[str]) -> list[str]:
    filled = [position for position, cell in enumerate(cells) if cell]
    return cells[: filled[-1] + 1] if filled else []
