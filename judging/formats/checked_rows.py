"""One object of a JSON file or one line of a table: its values, taken out with their checks."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from judging.formats.problems import LONGEST_SHOWN, ProblemLog, shown

LARGEST_NUMBER = 1e50  # the products of squares of such numbers, in a correlation, are still finite
LONGEST_KEY = 500  # characters of a context's or candidate's identifier, and of a system
LONGEST_NAME = 200  # of a subset, an attribute, a rater, a prompt
LONGEST_NOUN = 100  # of the nouns, and of a method
COLUMNS_SHOWN = 20

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Row:
    """Values and where they stand. Every check logs what is wrong and then gives back a stand-in.

    path: what leads to this object within its line, e.g. `candidates[3]`; empty for the line's own object.
    """

    file: str
    line: int
    values: Mapping[str, object]
    log: ProblemLog
    path: str = ""

    def problem(self, key: str, value: str, expected: str) -> None:
        self.log.add(self.file, self.line, self.field(key), value, expected)

    def field(self, key: str) -> str:
        """How problems name a value of this object."""
        return f"{self.path}.{key}" if self.path and key else self.path or key

    def shown(self, key: str) -> str:
        return shown(self.values[key]) if key in self.values else "missing"

    def text(self, key: str, *, may_be_empty: bool = False, longest: int | None = None) -> str:
        """A text that has to be there."""
        text = self.values.get(key)
        if not isinstance(text, str):
            self.problem(key, self.shown(key), "a text")
            return ""
        return self.checked(key, text, may_be_empty=may_be_empty, longest=longest)

    def optional_text(self, key: str, *, longest: int | None = None) -> str:
        """A text, or "" where there is none."""
        return self.text(key, may_be_empty=True, longest=longest) if key in self.values else ""

    def extra_text(self, key: str) -> str:
        """A text that the format does not promise; "" where there is none or something else."""
        return self.optional_text(key) if isinstance(self.values.get(key), str) else ""

    def name(self, key: str) -> str:
        """An identifier of a public format: a text that is not empty, or an integer, as text."""
        number = self.values.get(key)
        if isinstance(number, int) and not isinstance(number, bool):
            return str(number)
        return self.text(key, longest=LONGEST_KEY)

    def checked(self, key: str, text: str, *, may_be_empty: bool = False, longest: int | None = None) -> str:
        """The text itself; a problem if it is empty, longer than `longest` characters, or no database can hold it."""
        if not may_be_empty and not text.strip():
            self.problem(key, shown(text), "a text that is not empty")
        if _UNSTORABLE.search(text):
            self.problem(key, shown(text), "text without the character U+0000 and without halves of surrogate pairs")
        if longest is not None and len(text) > longest:
            self.problem(key, shown(text), f"at most {longest} characters")
        return text

    def choice(self, key: str, choices: Mapping[str | int, str]) -> str:
        """What `choices` says for the value."""
        value = self.values.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and value in choices:
            return choices[value]
        self.problem(key, self.shown(key), " or ".join(map(shown, choices)))
        return ""

    def number(self, key: str, minimum: float | None = None, maximum: float | None = None) -> float | None:
        """A finite number within the bounds that are given, and not larger than anything that is measured."""
        number = self.parsed_number(key)
        if number is None or not math.isfinite(number) or _is_outside(number, minimum, maximum):
            self.problem(key, self.shown(key), f"a number{_bounds(minimum, maximum)}")
            return None
        if abs(number) > LARGEST_NUMBER:
            self.problem(key, self.shown(key), f"a number{_bounds(-LARGEST_NUMBER, LARGEST_NUMBER)}")
            return None
        return number

    def parsed_number(self, key: str) -> float | None:
        """The number as the file has it, be it finite or not; None if it is none."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        try:
            return float(value)
        except OverflowError:
            return math.inf

    def object(self, key: str) -> Row:
        """The object under the key."""
        value = self.values.get(key)
        if not isinstance(value, dict):
            self.problem(key, self.shown(key), "an object")
            value = {}
        return Row(self.file, self.line, value, self.log, self.field(key))

    def objects(self, key: str, *, may_be_empty: bool = False) -> list[Row]:
        """The objects of the list under the key."""
        value = self.values.get(key)
        if not isinstance(value, list) or not (value or may_be_empty):
            self.problem(key, self.shown(key), "a list of objects" if may_be_empty else "a list of at least one object")
            return []
        rows = []
        for position, element in enumerate(value):
            if isinstance(element, dict):
                rows.append(Row(self.file, self.line, element, self.log, f"{self.field(key)}[{position}]"))
            else:
                self.problem(f"{key}[{position}]", shown(element), "an object")
        return rows

    def refuse_others(self, known: Collection[str]) -> None:
        """Log every key that is not among the known ones, so that a typing error loses no data."""
        for key in self.values:
            if key not in known:
                self.problem(key, "unknown key", f"one of {', '.join(known)}")


class TableRow(Row):
    """A line of a table: every value is a text, and empty cells are not there."""

    __slots__ = ()

    def parsed_number(self, key: str) -> float | None:
        cell = str(self.values.get(key, "")).strip()
        return float(cell) if _NUMBER.fullmatch(cell) else None


@dataclass(frozen=True, slots=True)
class FileRows:
    """What a file holds. columns: of a table, as its header names them; else the keys of the first object."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    is_table: bool

    def has_columns(self, required: Collection[str], log: ProblemLog) -> bool:
        """Whether these columns are there; those that are not are logged."""
        missing = [column for column in required if column not in self.columns]
        for column in missing:
            log.add(self.name, 1, column, "missing", f"a column of this name beside {_listed(self.columns)}")
        return not missing


def _listed(columns: Sequence[str]) -> str:
    """The names of columns, as far as they can be read at a glance: a file that is no table may have a strange one."""
    names = (name if len(name) <= LONGEST_SHOWN else shown(name) for name in columns[:COLUMNS_SHOWN])
    more = f" and {len(columns) - COLUMNS_SHOWN} more" if len(columns) > COLUMNS_SHOWN else ""
    return ", ".join(names) + more


def _is_outside(number: float, minimum: float | None, maximum: float | None) -> bool:
    return (minimum is not None and number < minimum) or (maximum is not None and number > maximum)


def _bounds(minimum: float | None, maximum: float | None) -> str:
    if minimum is not None and maximum is not None:
        return f" from {minimum:g} to {maximum:g}"
    if minimum is not None:
        return f" of at least {minimum:g}"
    return f" of at most {maximum:g}" if maximum is not None else ""
