"""The rows of an XLSX workbook's first sheet, in bounded memory.

openpyxl holds all shared strings in memory. Here they are in a temporary database, and read only as far as needed.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, iterparse

from judging.formats.source_files import SourceFile
from judging.formats.temporary_database import TemporaryDatabase

if TYPE_CHECKING:
    from openpyxl.workbook import Workbook

MAX_PART_BYTES = 10_000_000  # of one row, one text, or one file of the workbook that is held in memory
MAX_ROWS = 1_048_576  # of a sheet in Excel

_NAMESPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


@dataclass(frozen=True, slots=True)
class FirstSheet:
    """The first sheet of an opened workbook. path, strings_path: of its cells and its shared texts in the archive."""

    archive: BoundedArchive
    workbook: Workbook
    path: str
    strings_path: str | None
    other_sheets: tuple[str, ...]

    def rows(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield the number and the values of each row. Raises ValueError for a row or sheet that is too large."""
        from openpyxl.worksheet._reader import WorkSheetParser

        with (
            self.archive.open_bounded(self.path) as stream,
            closing(SharedStrings(self.archive, self.strings_path)) as strings,
        ):
            parser = WorkSheetParser(
                stream,
                strings,
                data_only=True,
                epoch=self.workbook.epoch,
                date_formats=self.workbook._date_formats,
                timedelta_formats=self.workbook._timedelta_formats,
            )
            for count, (number, cells) in enumerate(parser.parse(), start=1):
                if count > MAX_ROWS:
                    raise ValueError(f"more than {MAX_ROWS:,} rows")
                stream.start_part()
                yield number, _values_by_column(cells)


@contextmanager
def open_first_sheet(file: SourceFile) -> Iterator[FirstSheet]:
    """Open a workbook. Raises one of the errors of broken archives and wrong XML."""
    from openpyxl.reader.excel import ExcelReader
    from openpyxl.styles.stylesheet import apply_stylesheet
    from openpyxl.xml.constants import SHARED_STRINGS

    with file.open() as stream, BoundedArchive(stream) as archive:
        reader = ExcelReader(stream, read_only=True, data_only=True, keep_links=False)
        reader.archive = archive
        reader.read_manifest()
        reader.read_workbook()
        apply_stylesheet(archive, reader.wb)
        sheets = [(sheet.name, part.target) for sheet, part in reader.parser.find_sheets() if _is_table(part.Type)]
        if not sheets:
            raise ValueError("it has no sheet with cells")
        strings = reader.package.find(SHARED_STRINGS)
        (_, path), *others = sheets
        yield FirstSheet(archive, reader.wb, path, strings and strings.PartName[1:], tuple(name for name, _ in others))


def _is_table(part_type: str) -> bool:
    return "chartsheet" not in part_type


def _values_by_column(cells: list[dict[str, Any]]) -> list[Any]:
    """Return the values of a row from column A on. Missing cells are None."""
    values: list[Any] = [None] * max((cell["column"] for cell in cells), default=0)
    for cell in cells:
        values[cell["column"] - 1] = cell["value"]
    return values


class BoundedArchive(zipfile.ZipFile):
    """An archive whose files are held in memory only if they are small."""

    def read(self, name: str | zipfile.ZipInfo, pwd: bytes | None = None) -> bytes:
        """Return the content of a file. Raises ValueError if it is too large."""
        info = name if isinstance(name, zipfile.ZipInfo) else self.getinfo(name)
        if info.file_size > MAX_PART_BYTES:
            raise ValueError(f"{info.filename} has {info.file_size:,} bytes unpacked, more than {MAX_PART_BYTES:,}")
        return super().read(info, pwd)

    def open_bounded(self, name: str) -> BoundedStream:
        return BoundedStream(self.open(name))


class BoundedStream(io.RawIOBase):
    """A stream of XML that is parsed part by part. Raises ValueError for a part that is too large."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._part_bytes = 0

    def start_part(self) -> None:
        """Note that the earlier parts are no longer in memory."""
        self._part_bytes = 0

    def read(self, size: int = -1) -> bytes:
        block = self._stream.read(size)
        self._part_bytes += len(block)
        if self._part_bytes > MAX_PART_BYTES:
            raise ValueError(f"a row or text of more than {MAX_PART_BYTES:,} bytes")
        return block

    def close(self) -> None:
        self._stream.close()
        super().close()


class SharedStrings:
    """The texts that cells name by their numbers, from 0. They are read up to the largest number so far."""

    def __init__(self, archive: BoundedArchive, path: str | None) -> None:
        """path: of the texts in the archive; None if there are none."""
        self._database = TemporaryDatabase("CREATE TABLE string (id INTEGER PRIMARY KEY, text TEXT)")
        self._texts = _read_strings(archive, path)
        self._count = 0

    def __getitem__(self, number: int) -> str:
        """Return a text. Raises IndexError, StoreIsFull, and ParseError for wrong XML."""
        while self._count <= number:
            self._add_next()
        row = self._database.execute("SELECT text FROM string WHERE id = ?", (number,)).fetchone()
        if row is None:
            raise IndexError(f"no text {number}")
        text: str = row[0]
        return text

    def _add_next(self) -> None:
        text = next(self._texts, None)
        if text is None:
            raise IndexError(f"a cell names text {self._count}, which the workbook does not have")
        self._database.insert("INSERT INTO string VALUES (?, ?)", self._count, text)
        self._count += 1

    def close(self) -> None:
        self._texts.close()


def _read_strings(archive: BoundedArchive, path: str | None) -> Generator[str]:
    """Yield the shared texts, with one of them in memory at a time."""
    if path is None:
        return
    with archive.open_bounded(path) as stream:
        events = iterparse(stream, events=("start", "end"))
        _, root = next(events)
        for event, element in events:
            if event == "end" and element.tag == f"{_NAMESPACE}si":
                yield _text_of(element)
                root.clear()
                stream.start_part()


def _text_of(element: Element) -> str:
    """Return a shared text as openpyxl reads it."""
    from openpyxl.cell.text import Text

    if len(element) == 1 and element[0].tag == f"{_NAMESPACE}t":
        return (element[0].text or "").replace("x005F_", "")
    content: str = Text.from_tree(element).content
    return content.replace("x005F_", "")
