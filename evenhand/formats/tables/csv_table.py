"""Read a CSV file, row by row: cells separated by commas, semicolons or tabs."""

import csv
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from io import TextIOWrapper
from itertools import islice

from evenhand.file_problems import ProblemLog, describe_value, repeated_names
from evenhand.formats.checked_rows import CheckedRow, DecimalCommaRow, FileRows, TableRow
from evenhand.formats.source_files import SourceFile
from evenhand.formats.tables.title_rows import COMPARED_LINES, refuse_title
from evenhand.units import counted

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
MAX_COLUMNS = 2_000
MAX_ROW_CHARACTERS = 3_000_000
MAX_ROW_CELLS = 500_000

_Lines = Generator[tuple[int, list[str]]]


def open_csv(file: SourceFile, log: ProblemLog) -> FileRows | None:
    """Open a CSV file. Return None and log the problem if it has no usable header.

    Spaces around the names of columns are removed.
    """
    separator = _find_separator(file)
    with closing(_read_lines(file, separator, log)) as lines:
        line, header = next(lines, (1, []))
    columns = tuple(name.strip() for name in header)
    if not columns or _begins_with_title(file, separator, log) or not has_good_names(file.name, line, columns, log):
        return None
    return FileRows(
        file.name, columns, log, open_rows=lambda log: _read_rows(file, separator, columns, log), is_table=True
    )


def has_good_names(file: str, line: int, columns: tuple[str, ...], log: ProblemLog) -> bool:
    """Return True if the columns are few enough and no name is repeated. Log the problems otherwise."""
    if len(columns) > MAX_COLUMNS:
        log.add(file, line, "", f"{len(columns):,} columns", f"at most {MAX_COLUMNS:,} columns")
        return False
    repeated = [name for name in repeated_names(columns) if name]
    for name in repeated:
        log.add(file, line, "", f"the column {describe_value(name)} twice", "each column once")
    return not repeated


def _find_separator(file: SourceFile) -> str:
    """Return the separator that gives the header the most columns."""
    return max(SEPARATORS, key=lambda separator: [len(cells) for _, cells in _first_lines(file, separator, 1)])


def _begins_with_title(file: SourceFile, separator: str, log: ProblemLog) -> bool:
    """Return True if the first row is no header, and log it. A title has no separator, so that any may follow it."""
    (header, *below) = _first_lines(file, separator, COMPARED_LINES + 1)
    if len(header[1]) == 1:
        below = max((_first_lines(file, one, COMPARED_LINES + 1)[1:] for one in SEPARATORS), key=_most_common_width)
    return refuse_title(file.name, header, below, log, advice=", and quote texts that contain the separator")


def _first_lines(file: SourceFile, separator: str, count: int) -> list[tuple[int, list[str]]]:
    with closing(_read_lines(file, separator, ProblemLog())) as lines:
        return list(islice(lines, count))


def _most_common_width(lines: Sequence[tuple[int, list[str]]]) -> int:
    """Return the number of cells that most lines have; 0 if it differs from line to line."""
    widths = Counter(len(cells) for _, cells in lines).most_common(1)
    return next((width for width, count in widths if 2 * count > len(lines)), 0)


def _read_rows(file: SourceFile, separator: str, columns: tuple[str, ...], log: ProblemLog) -> Generator[CheckedRow]:
    row_type = TableRow if separator == "," else DecimalCommaRow
    lines = _read_lines(file, separator, log)
    next(lines)
    for line, cells in lines:
        if len(cells) == len(columns):
            values = {name: cell for name, cell in zip(columns, cells, strict=True) if cell}
            yield row_type(file.name, line, values, log)
        else:
            expected = f"{counted(len(columns), 'cell')}, as in the header"
            log.add(file.name, line, "", counted(len(cells), "cell"), expected)


def _read_lines(file: SourceFile, separator: str, log: ProblemLog) -> _Lines:
    """Yield the cells of each line that is not blank, with the number of the line where they start."""
    csv.field_size_limit(max(csv.field_size_limit(), MAX_ROW_CHARACTERS))  # of all readers in this process
    with file.open_text(newline="") as stream:
        text = _BoundedLines(stream, separator)
        reader = csv.reader(text, delimiter=separator, strict=True)
        line = 1
        try:
            for cells in reader:
                if cells:
                    yield line, cells
                line = reader.line_num + 1
                text.row_characters = text.row_cells = 0
        except csv.Error as error:
            expected = f"cells separated by {SEPARATORS[separator]}, quoted with double quotes where needed"
            log.add(file.name, line, "", str(error), expected)


class _BoundedLines:
    """The lines of a text, for csv.reader. Raises csv.Error for a row too large to hold in memory."""

    def __init__(self, stream: TextIOWrapper, separator: str) -> None:
        self._stream = stream
        self._separator = separator
        self.row_characters = 0
        self.row_cells = 0

    def __iter__(self) -> Iterator[str]:
        while line := self._stream.readline(MAX_ROW_CHARACTERS + 1):
            self.row_characters += len(line)
            self.row_cells += line.count(self._separator)
            if self.row_characters > MAX_ROW_CHARACTERS:
                raise csv.Error(
                    f"a row of more than {MAX_ROW_CHARACTERS:,} characters, or a quote that is never closed"
                )
            if self.row_cells > MAX_ROW_CELLS:
                raise csv.Error(f"a row of more than {MAX_ROW_CELLS:,} cells")
            yield line
