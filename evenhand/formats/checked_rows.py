"""One object of a JSON file or one line of a table, with checks for each value taken from it."""

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from evenhand.file_problems import LISTED_OF_A_KIND, ProblemLog, describe_value, list_names

MAX_ABSOLUTENUMBER = 1e50  # correlations multiply squares of such numbers, and the products stay finite
MAX_KEY_LENGTH = 500  # characters of a system, and of the identifier of a context or candidate
MAX_NAME_LENGTH = 200  # characters of a subset, an attribute, a rater or a prompt
MAX_NOUN_LENGTH = 100  # characters of a noun or a method
CLEANED_NAMES = "names read without outer spaces and look-alike characters"

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u2060\ufeff]")
_OTHER_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f]")
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """The values of one object and its place in the file. A failed check logs a problem and returns a placeholder.

    path: leads to this object within its line, e.g. `candidates[3]`; empty for the line's own object.
    """

    file: str
    line: int
    values: Mapping[str, object]
    log: ProblemLog
    path: str = ""

    def add_problem(
        self, key: str, value: str, expected: str, *, most: int = LISTED_OF_A_KIND, is_once: bool = False
    ) -> None:
        self.log.add(self.file, self.line, self.field_path(key), value, expected, most=most, is_once=is_once)

    def count(self, what: str, example: str = "") -> None:
        """Count something on this line that is no problem, for a note with the first examples."""
        place = self.log.place(self.file, self.line)
        self.log.count(what, f"{place}: {example}" if example else place)

    def field_path(self, key: str) -> str:
        """Return the path of a value within its line, as problems name it."""
        return f"{self.path}.{key}" if self.path and key else self.path or key

    def describe(self, key: str) -> str:
        return describe_value(self.values[key]) if key in self.values else "missing"

    def text(self, key: str, *, may_be_empty: bool = False, max_length: int | None = None) -> str:
        """Return a required text."""
        text = self.values.get(key)
        if not isinstance(text, str):
            self.add_problem(key, self.describe(key), "a text")
            return ""
        return self.check_text(key, text, may_be_empty=may_be_empty, max_length=max_length)

    def optional_text(self, key: str, *, max_length: int | None = None) -> str:
        """Return a text, or "" if the key is missing."""
        return self.text(key, may_be_empty=True, max_length=max_length) if key in self.values else ""

    def text_or_empty(self, key: str) -> str:
        """Return a text, or "" if the key is missing or has another type. Such a value is no problem."""
        return self.optional_text(key) if isinstance(self.values.get(key), str) else ""

    def identifier(self, key: str) -> str:
        """Return an identifier of a public format: a text that is not empty, or an integer as text."""
        number = self.values.get(key)
        if isinstance(number, int) and not isinstance(number, bool):
            return str(number)
        return self.text(key, max_length=MAX_KEY_LENGTH)

    def check_text(self, key: str, text: str, *, may_be_empty: bool = False, max_length: int | None = None) -> str:
        """Return the text. Log a problem if it is empty, too long, or has characters that no database stores.

        max_length: of a name, which is cleaned. A name that changes by it is counted in a note.
        """
        name = text if max_length is None else clean_name(text)
        if not may_be_empty and not name.strip():
            self.add_problem(key, describe_value(text), "a text that is not empty")
        elif name != text:
            self.log.count(CLEANED_NAMES, f"{describe_value(text)} as {describe_value(name)}")
            text = name
        if _UNSTORABLE.search(text):
            self.add_problem(key, describe_value(text), "text without the character U+0000 and without lone surrogates")
        if max_length is not None and len(text) > max_length:
            self.add_problem(key, describe_value(text), f"at most {max_length} characters")
        return text

    def choice(self, key: str, choices: Mapping[str | int, str]) -> str:
        """Return the entry of `choices` for the value."""
        value = self.values.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and value in choices:
            return choices[value]
        self.add_problem(key, self.describe(key), " or ".join(map(describe_value, choices)))
        return ""

    def number(
        self, key: str, minimum: float | None = None, maximum: float | None = None, *, or_else: str = ""
    ) -> float | None:
        """Return a finite number within the given bounds and within MAX_ABSOLUTENUMBER; None after a problem.

        or_else: ends the problem, and names what else is allowed. Each wrong value is then a problem once.
        """
        number = self.parse_number(key)
        for low, high in ((minimum, maximum), (-MAX_ABSOLUTENUMBER, MAX_ABSOLUTENUMBER)):
            if number is None or not math.isfinite(number) or _is_outside(number, low, high):
                expected = f"a number{_describe_bounds(low, high)}{or_else}"
                self.add_problem(key, self.describe(key), expected, is_once=bool(or_else))
                return None
        return number

    def parse_number(self, key: str) -> float | None:
        """Return the number in the file, finite or not; None if the value is not a number."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        try:
            return float(value)
        except OverflowError:
            return math.inf

    def object(self, key: str) -> "CheckedRow":
        """Return the object under the key."""
        value = self.values.get(key)
        if not isinstance(value, dict):
            self.add_problem(key, self.describe(key), "an object")
            value = {}
        return CheckedRow(self.file, self.line, value, self.log, self.field_path(key))

    def objects(self, key: str, *, may_be_empty: bool = False) -> "Iterator[CheckedRow]":
        """Yield the objects of the list under the key."""
        value = self.values.get(key)
        if not isinstance(value, list) or not (value or may_be_empty):
            expected = "a list of objects" if may_be_empty else "a list of at least one object"
            self.add_problem(key, self.describe(key), expected)
            return
        for position, element in enumerate(value):
            if isinstance(element, dict):
                path = f"{self.field_path(key)}[{position}]"
                yield CheckedRow(self.file, self.line, element, self.log, path)
            else:
                self.add_problem(f"{key}[{position}]", describe_value(element), "an object")

    def refuse_unknown_keys(self, known: Collection[str]) -> None:
        """Log every key that is not among the known ones, so that a misspelled key loses no data."""
        for key in self.values:
            if key not in known:
                self.add_problem(key, "unknown key", f"one of {', '.join(known)}", most=1)


class TableRow(CheckedRow):
    """One line of a table. Every value is a text, and empty cells are left out."""

    __slots__ = ()

    def parse_number(self, key: str) -> float | None:
        cell = str(self.values.get(key, "")).strip()
        return float(cell) if NUMBER.fullmatch(cell) else None


class DecimalCommaRow(TableRow):
    """One line of a table that is not separated by commas. A number may have a decimal comma."""

    __slots__ = ()

    def parse_number(self, key: str) -> float | None:
        cell = str(self.values.get(key, "")).strip()
        number = cell.replace(",", ".") if "." not in cell else cell
        if not NUMBER.fullmatch(number):
            return None
        if number != cell:
            self.log.note_decimal_comma(self.file, cell, number)
        return float(number)


@dataclass(frozen=True, slots=True)
class FileRows:
    """The rows of one file, which are read from the file each time they are iterated.

    columns: the header of a table, or the keys of the first JSON object.
    log: receives the problems of rows.
    open_rows: yields the rows from the first on, and logs problems.
    is_table: True if every value is a text.
    """

    name: str
    columns: tuple[str, ...]
    log: ProblemLog
    open_rows: Callable[[ProblemLog], Generator[CheckedRow]]
    is_table: bool

    def __iter__(self) -> Iterator[CheckedRow]:
        return self.open_rows(self.log)

    def peek(self, count: int) -> list[CheckedRow]:
        """Return the first rows. Their problems are not logged."""
        return list(self.first_rows(count))

    def first_rows(self, count: int, log: ProblemLog | None = None) -> Iterator[CheckedRow]:
        """Yield the first rows, one at a time because they may be large. log: receives their problems; None: nobody."""
        with closing(self.open_rows(ProblemLog() if log is None else log)) as rows:
            yield from islice(rows, count)

    def has_columns(self, required: Collection[str], log: ProblemLog) -> bool:
        """Return True if all required columns are there. Log the missing ones."""
        missing = [column for column in required if column not in self.columns]
        for column in missing:
            log.add(self.name, 1, column, "missing", f"a column of this name; the file has {list_names(self.columns)}")
        return not missing


def clean_name(name: str) -> str:
    """Return a name without spaces around it and invisible characters, with plain spaces and composed letters.

    Names that look the same are then equal. Other letters, and capitals, stay different.
    """
    if not name.isascii():
        name = unicodedata.normalize("NFC", _OTHER_SPACES.sub(" ", _INVISIBLE.sub("", name)))
    return name.strip()


def _is_outside(number: float, minimum: float | None, maximum: float | None) -> bool:
    return (minimum is not None and number < minimum) or (maximum is not None and number > maximum)


def _describe_bounds(minimum: float | None, maximum: float | None) -> str:
    if minimum is not None and maximum is not None:
        return f" from {minimum:g} to {maximum:g}"
    if minimum is not None:
        return f" of at least {minimum:g}"
    return f" of at most {maximum:g}" if maximum is not None else ""
