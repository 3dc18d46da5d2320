"""The first sheet of an XLSX workbook [ECMA-376], row by row. Cells become the texts that a user sees."""

import datetime
import posixpath
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast
from xml.etree.ElementTree import Element, XMLPullParser, fromstring

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format
from openpyxl.utils.cell import coordinate_to_tuple, range_boundaries
from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel
from openpyxl.utils.escape import unescape

from evenhand.formats.source_files import SourceFile
from evenhand.formats.temporary_database import TemporaryDatabase

MAX_PART_BYTES = 10_000_000  # of one row, one text, or one file of the workbook that is read at once
MAX_ROWS, MAX_MERGED = 1_048_576, 100_000  # of a sheet; the first as in Excel
MAX_DAYS = 2_958_466  # to the end of the year 9999

_MERGED_CELLS = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref=.([A-Z]+[0-9]+:[A-Z]+[0-9]+)")


class SharedTexts:
    """The texts that cells name by their numbers, from 0. They are on disk, because together they may be large."""

    def __init__(self, parts: Iterable[Iterable[Element]]) -> None:
        """parts: the files of the workbook that have such texts."""
        self._database = TemporaryDatabase("CREATE TABLE shared (number INTEGER PRIMARY KEY, text TEXT)")
        texts = ((_plain_text(element),) for elements in parts for element in elements)
        self._database.insert_all("INSERT INTO shared (text) VALUES (?)", texts)

    def get(self, number: int) -> str:
        """Return a text. Raises LookupError if there is none."""
        row = self._database.execute("SELECT text FROM shared WHERE number = ?", (number + 1,)).fetchone()
        if row is None:
            raise LookupError(f"a cell names the text {number}, which the workbook does not have")
        return str(row[0])


@dataclass(frozen=True, slots=True)
class FirstSheet:
    """The first sheet that is not hidden.

    path: of its cells in the archive. is_computed: False if 0 stands for formulas that no program has computed.
    dates: the numbers of the cell styles that show dates, with True for durations. epoch: day 0.
    """

    file: SourceFile
    path: str
    other_sheets: tuple[str, ...]
    is_computed: bool
    texts: SharedTexts
    dates: Mapping[int, bool]
    epoch: datetime.datetime

    def rows(self) -> Iterator[tuple[int, list[str], list[str]]]:
        """Yield number, texts from column A on, and cells with a formula and no saved value, of each row."""
        number = 0
        for row in _elements(self.file, self.path, "row"):
            number = int(row.get("r", number + 1))
            if number > MAX_ROWS:
                raise ValueError(f"more than {MAX_ROWS:,} rows")
            texts: list[str] = []
            uncomputed = []
            for cell in row:
                position = coordinate_to_tuple(cell.attrib["r"])[1] - 1 if "r" in cell.attrib else len(texts)
                texts += [""] * (position + 1 - len(texts))
                texts[position] = self._text(cell)
                if self._is_uncomputed(cell):
                    uncomputed.append(cell.get("r", "a cell"))
            yield number, texts, uncomputed

    def merged_below(self, row: int) -> dict[str, tuple[int, int, int]]:
        """Return position, first and last row of cells merged over rows, by range. They stand behind all rows."""
        names, last = set[str](), b""
        for block in _blocks(self.file, self.path):
            names |= {name.decode() for name in _MERGED_CELLS.findall(last + block)}
            last = block[-200:]
            if len(names) > MAX_MERGED:
                raise ValueError(f"more than {MAX_MERGED:,} groups of merged cells")
        places = {name: range_boundaries(name) for name in sorted(names)}
        return {name: (left - 1, top, end) for name, (left, top, _, end) in places.items() if row < top < end}

    def _text(self, cell: Element) -> str:
        kind, value = cell.get("t", "n"), cell.findtext("{*}v") or ""
        if kind == "n" and value:
            return self._number_text(value, int(cell.get("s", 0)))
        if kind == "b" and value:
            return str(value in ("1", "true"))
        if kind == "s" and value:
            value = self.texts.get(int(value))
        elif kind == "inlineStr":
            value = "".join(map(_plain_text, cell.iterfind("{*}is")))
        return str(unescape(value)).replace("\r\n", "\n")

    def _number_text(self, value: str, style: int) -> str:
        number = float(value) if set(value) & set(".eE") else int(value)
        if style in self.dates and 0 <= number < MAX_DAYS:
            date = from_excel(number, self.epoch, timedelta=self.dates[style])
            return str(date) if self.dates[style] else str(date.isoformat())
        return str(int(number) if abs(number) < 2**53 and number == int(number) else number)

    def _is_uncomputed(self, cell: Element) -> bool:
        missing = [None, *([] if cell.get("t") == "str" else [""]), *([] if self.is_computed else ["0"])]
        return cell.findtext("{*}v") in missing and cell.find("{*}f") is not None


def open_first_sheet(file: SourceFile) -> FirstSheet:
    """Open a workbook. Raises one of the errors of broken archives and wrong XML."""
    book, parts = _read_xml(file, "xl/workbook.xml"), _read_xml(file, "xl/_rels/workbook.xml.rels")
    paths = {part.get("Id"): posixpath.normpath(posixpath.join("/xl", part.get("Target", "")))[1:] for part in parts}
    kinds = {part.get("Id"): part.get("Type", "").rpartition("/")[2] for part in parts}
    of_kind = {kind: [paths[part]] for part, kind in kinds.items()}
    ids = [
        (sheet, part) for sheet in book.iterfind("{*}sheets/{*}sheet") for key, part in sheet.items() if "}id" in key
    ]
    sheets = [(sheet, paths[part]) for sheet, part in ids if kinds[part] == "worksheet"]
    if not sheets:
        raise ValueError("it has no sheet with cells")
    (_, path), *others = sorted(sheets, key=lambda sheet: sheet[0].get("state", "visible") != "visible")
    return FirstSheet(
        file,
        path,
        other_sheets=tuple(sheet.get("name", "") for sheet, _ in others),
        is_computed=not _is_set(book, "calcPr", "fullCalcOnLoad"),
        texts=SharedTexts(_elements(file, path, "si") for path in of_kind.get("sharedStrings", [])),
        dates=dict(style for path in of_kind.get("styles", []) for style in _date_styles(_read_xml(file, path))),
        epoch=CALENDAR_MAC_1904 if _is_set(book, "workbookPr", "date1904") else CALENDAR_WINDOWS_1900,
    )


def _is_set(book: Element, name: str, option: str) -> bool:
    return any(element.get(option) in ("1", "true") for element in book.iterfind(f"{{*}}{name}"))


def _date_styles(styles: Element) -> list[tuple[int, bool]]:
    own = {one.get("numFmtId"): one.get("formatCode") for one in styles.iterfind("{*}numFmts/{*}numFmt")}
    codes = [one.get("numFmtId", "0") for one in styles.iterfind("{*}cellXfs/{*}xf")]
    formats = [own.get(code) or BUILTIN_FORMATS.get(int(code)) for code in codes]
    return [(style, is_timedelta_format(code)) for style, code in enumerate(formats) if is_date_format(code)]


def _plain_text(element: Element) -> str:
    """Return a text without its formats and its phonetic guide."""
    return "".join(part.text or "" for part in [*element.iterfind("{*}t"), *element.iterfind("{*}r/{*}t")])


def _read_xml(file: SourceFile, path: str) -> Element:
    with file.open() as stream, zipfile.ZipFile(stream) as archive:
        if (size := archive.getinfo(path).file_size) > MAX_PART_BYTES:
            raise ValueError(f"{path} has {size:,} bytes unpacked, more than {MAX_PART_BYTES:,}")
        return fromstring(archive.read(path))


def _blocks(file: SourceFile, path: str) -> Iterator[bytes]:
    with file.open() as stream, zipfile.ZipFile(stream) as archive, archive.open(path) as part:
        while block := part.read(65_536):
            yield block


def _elements(file: SourceFile, path: str, kind: str) -> Iterator[Element]:
    """Yield each element of a kind, with one of them in memory at a time. A sheet is read to the end of its rows."""
    parser: XMLPullParser[Any] = XMLPullParser(("start", "end"))
    parents, held = list[Element](), 0
    for block in _blocks(file, path):
        parser.feed(block)
        held += len(block)
        for event, element in cast("Iterator[tuple[str, Element]]", parser.read_events()):
            if event == "start":
                parents.append(element)
            elif parents.pop().tag.endswith(f"}}{kind}"):
                yield element
                parents[-1].clear()
                held = 0
            elif element.tag.endswith("}sheetData"):
                return
        if held > MAX_PART_BYTES:
            raise ValueError(f"a row or text of more than {MAX_PART_BYTES:,} bytes")
    parser.close()
