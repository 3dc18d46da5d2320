"""Read the first sheet of an XLSX workbook, row by row. Its cells become texts, as in CSV."""

import zipfile
from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from itertools import islice

from evenhand.file_problems import ProblemLog, list_names
from evenhand.formats.checked_rows import CheckedRow, FileRows, TableRow
from evenhand.formats.source_files import SourceFile
from evenhand.formats.tables.archives import BROKEN_ZIP
from evenhand.formats.tables.csv_table import has_good_names
from evenhand.formats.tables.title_rows import COMPARED_LINES, refuse_title
from evenhand.formats.tables.xlsx_workbook import FirstSheet, open_first_sheet
from evenhand.formats.temporary_database import StoreIsFull
from evenhand.units import counted

MAX_WORKBOOK_BYTES = 200_000_000  # of a workbook's files together, unpacked

_BROKEN = (*BROKEN_ZIP, StoreIsFull, TypeError, AttributeError, SyntaxError)  # the last three: wrong XML in it
_READABLE = "a whole workbook, or CSV"
_COMPUTED = "a value; open the file in a spreadsheet program and save it"

Merged = Sequence[tuple[int, int, int]]  # position, first and last row of cells merged over rows


def open_xlsx(file: SourceFile, log: ProblemLog, *, max_bytes: int) -> FileRows | None:
    """Open the first sheet of a workbook. Return None and log the problem if it has no usable header."""
    first: list[tuple[int, list[str]]] = []
    try:
        if not _is_small(file, log, min(max_bytes, MAX_WORKBOOK_BYTES)):
            return None
        sheet = open_first_sheet(file)
        log.note_ignored_sheets(file.name, sheet.other_sheets)
        first.extend((line, cells) for line, cells, _ in islice(_filled_rows(sheet, []), COMPARED_LINES + 1))
        (line, header), *below = first or [(1, [])]
        merged = sheet.merged_below(line)
    except _BROKEN as error:
        log.add(file.name, first[-1][0] if first else None, "", f"not readable as XLSX: {error}", _READABLE)
        return None
    columns = tuple(name.strip() for name in header)
    if not columns:
        log.add(file.name, None, "", "the first sheet is empty", "a table with a header")
    if not columns or refuse_title(file.name, (line, columns), below, log, advice=""):
        return None
    if not has_good_names(file.name, line, columns, log):
        return None
    if merged:
        log.notes.append(f"{file.name}: merged cells are read as one value for all their rows: {list_names([*merged])}")
    places = list(merged.values())
    return FileRows(file.name, columns, log, lambda log: _read_rows(sheet, places, columns, log), is_table=True)


def _is_small(file: SourceFile, log: ProblemLog, max_bytes: int) -> bool:
    with file.open() as stream, zipfile.ZipFile(stream) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > max_bytes:
        expected = f"at most {max_bytes:,} bytes; save the sheet as CSV or Parquet"
        log.add(file.name, None, "", f"{size:,} bytes unpacked", expected)
    return size <= max_bytes


def _read_rows(sheet: FirstSheet, merged: Merged, columns: tuple[str, ...], log: ProblemLog) -> Generator[CheckedRow]:
    file, line = sheet.file.name, 1
    try:
        for line, cells, uncomputed in islice(_filled_rows(sheet, merged), 1, None):
            for cell in uncomputed:
                log.add(file, line, "", f"the formula in {cell} has no saved value", _COMPUTED)
            if len(cells) <= len(columns):
                values = {name: cell for name, cell in zip(columns, cells, strict=False) if cell}
                yield TableRow(file, line, values, log)
            else:
                expected = f"at most {counted(len(columns), 'cell')}, as in the header"
                log.add(file, line, "", counted(len(cells), "cell"), expected)
    except _BROKEN as error:
        log.add(file, line, "", f"not readable as XLSX: {error}", _READABLE)


def _filled_rows(sheet: FirstSheet, merged: Merged) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield the rows that are not empty, without empty cells at their end. Merged cells have one text in all rows."""
    starts, texts = defaultdict(list), dict[int, tuple[int, str]]()
    for position, first, last in merged:
        starts[first].append((position, last))
    for line, cells, uncomputed in sheet.rows():
        if any(cells) or uncomputed:
            cells += [""] * (max([*texts, *(position for position, _ in starts[line])], default=-1) + 1 - len(cells))
            for position, (last, text) in texts.items():
                cells[position] = cells[position] or (text if line <= last else "")
            texts |= {position: (last, cells[position]) for position, last in starts[line]}
            while cells and not cells[-1]:
                cells.pop()
            yield line, cells, uncomputed
