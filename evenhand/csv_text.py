"""CSV files: every one that people get is written here.

A text that a spreadsheet would run as a formula gets an apostrophe in front. A text of apostrophes followed by a
formula gets one more, so removing one apostrophe always restores the text. Numbers are not escaped.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_END = "\r\n"  # Python quotes a text with a character of the end of lines, so that this end has both quoted


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return a CSV file of rows of cells."""
    return "".join(_lines(rows))


def csv_lines(rows: Iterable[Mapping[str, object]], *, columns: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a CSV file, the column names first."""
    yield from _lines([columns])
    yield from _lines([row[column] for column in columns] for row in rows)


def _lines(rows: Iterable[Iterable[object]]) -> Iterator[str]:
    write = csv.writer(_LineBuffer(), lineterminator=_END).writerow
    return (f"{write(map(_cell, row)).removesuffix(_END)}\n" for row in rows)


class _LineBuffer:
    """A file whose write() returns the line, which the writer of csv returns."""

    def write(self, line: str) -> str:
        return line


def escape_formula(text: str) -> str:
    """Return the text with an apostrophe in front if a spreadsheet would run it."""
    return f"'{text}" if text.lstrip("'").startswith(FORMULA_STARTS) else text


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return escape_formula(value) if isinstance(value, str) else value


def unescape_formula(cell: str) -> str:
    """Return the text from which `escape_formula` made this cell."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(FORMULA_STARTS) else cell
