"""Problems of a file: the place, the value there, and what was expected."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

MAX_DESCRIBED_LENGTH = 60  # characters of a text, and digits of an integer, that a problem quotes in full
LISTED_OF_A_KIND = 10
LISTED_PROBLEMS = 1_000
EXAMPLES_OF_A_NOTE = 3
MAX_PROBLEMS = 100_000  # reading stops there

_VARYING_PART = re.compile(r'"[^"]*"|[0-9]+')


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a file. `str()` gives the line to print.

    file: its name as the user gave it.
    line: counted from 1; None if the problem concerns the whole file.
    field: path within the line, e.g. `candidates[3].scores.coherence`; empty if it concerns the whole line.
    value: the value as `describe_value` renders it, or a word such as "missing".
    more: number of further problems of this kind, which are not listed.
    """

    file: str
    line: int | None
    field: str
    value: str
    expected: str
    more: int = 0

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        found = ": ".join(part for part in (place, self.field, self.value) if part)
        return _escape_unprintable(f"{found} — expected {self.expected}{self.more_of_kind}")

    @property
    def more_of_kind(self) -> str:
        return f" (and {self.more:,} more of this kind)" if self.more else ""


class InvalidFile(Exception):
    """Raised for files that cannot be read.

    problems: the listed problems of every file, in the order of the files.
    records: the records read in spite of the problems, with placeholders for wrong values.
        They serve to find further problems and must not be stored.
    """

    def __init__(self, problems: Iterable[Problem], *, records: Sequence[Any] = ()) -> None:
        self.problems = tuple(problems)
        self.records = records
        super().__init__("\n".join(map(str, self.problems)))

    @property
    def count(self) -> int:
        """The number of problems, with those that are not listed."""
        return sum(1 + problem.more for problem in self.problems)


class ProblemLog:
    """Collects the problems of several files, so that a reader continues after the first one.

    Problems are of one kind if they differ only in line, value, numbers and quoted texts. The first ones of each kind
    are listed and the others counted, so that memory stays bounded.
    After a check has logged a problem it returns a placeholder. `raise_if_any` keeps placeholders from being stored.
    """

    def __init__(self, files: Iterable[str] = ()) -> None:
        self._file_positions: dict[str, int] = {}
        for name in files:
            self._position_of(name)
        self._listed: list[tuple[_Kind, Problem]] = []
        self.notes: list[str] = []  # facts about the files that are no problems
        self._noted: dict[str, tuple[int, tuple[str, ...]]] = {}
        self._counts: Counter[_Kind] = Counter()
        self._count = 0
        self._unlisted = 0  # problems of kinds that no longer fit on the list
        self._once: set[tuple[str, str]] = set()

    def add(
        self,
        file: str,
        line: int | None,
        field: str,
        value: str,
        expected: str,
        *,
        most: int = LISTED_OF_A_KIND,
        is_once: bool = False,
    ) -> None:
        """Log a problem. Raises InvalidFile after MAX_PROBLEMS.

        most: number of problems of its kind to list. is_once: True if the same value of the field is one problem.
        """
        if is_once and (field, value) in self._once:
            return
        self._once |= {(field, value)} if is_once else set()
        if len(self) >= MAX_PROBLEMS:
            expected = f"fewer than {MAX_PROBLEMS:,} problems; correct those above first"
            raise InvalidFile([*self._problems(), Problem(file, line, "", "reading stopped here", expected)])
        self._position_of(file)
        self._count += 1
        kind = _Kind(file, _without_varying_parts(field), _without_varying_parts(expected))
        if kind not in self._counts and len(self._counts) >= LISTED_PROBLEMS:
            self._unlisted += 1
            return
        self._counts[kind] += 1
        if self._counts[kind] <= most:
            field, value, expected = map(_escape_unprintable, (field, value, expected))  # for pages, without surrogates
            self._listed.append((kind, Problem(file, line, field, value, expected)))

    def discard(self, file: str, *, after: int = 0) -> None:
        """Drop the problems of a file, or those after its first ones."""
        of_file = [(kind, problem) for kind, problem in self._listed if kind.file == file]
        self._listed = [(kind, problem) for kind, problem in self._listed if kind.file != file] + of_file[:after]
        for kind in [kind for kind in self._counts if kind.file == file]:
            self._count -= self._counts.pop(kind)
        self._counts.update(kind for kind, _ in of_file[:after])
        self._count += len(of_file[:after])

    def note_ignored_files(self, archive: str, names: Sequence[str]) -> None:
        if names:
            self.notes.append(f"{archive}: these files are no tables and are ignored: {list_names(names)}")

    def note_ignored_sheets(self, workbook: str, names: Sequence[str]) -> None:
        if names:
            self.notes.append(f"{workbook}: only the first sheet is read; ignored: {list_names(names)}")

    def note_decimal_comma(self, file: str, cell: str, number: str) -> None:
        """Note once for a file that numbers have a decimal comma, because some people mean thousands by it."""
        start = f"{file}: numbers have a decimal comma: "
        if not any(note.startswith(start) for note in self.notes):
            self.notes.append(f"{start}{describe_value(cell)} is read as {number}")

    def count(self, what: str, example: str) -> None:
        """Count something that is no problem. One note has the number and the first different examples."""
        number, examples = self._noted.get(what, (0, ()))
        if len(examples) < EXAMPLES_OF_A_NOTE and example not in examples:
            examples = (*examples, _escape_unprintable(example))
        self._noted[what] = number + 1, examples

    def place(self, file: str, line: int) -> str:
        """Return a line as a note names it, with its file if there are several."""
        return f"{file} line {line}" if len(self._file_positions) > 1 else f"line {line}"

    def all_notes(self) -> list[str]:
        """Return the notes, with what was counted."""
        counted = self._noted.items()
        return [*self.notes, *(f"{what}: {number:,} ({', '.join(examples)})" for what, (number, examples) in counted)]

    def __len__(self) -> int:
        return self._count

    def raise_if_any(self, *, records: Sequence[Any] = ()) -> None:
        """Raise InvalidFile if there are problems, sorted by file and line, with the records read so far."""
        if len(self):
            raise InvalidFile(self.listed(), records=records)

    def listed(self) -> tuple[Problem, ...]:
        """Return the listed problems, sorted by file and line."""
        return tuple(self._problems()) if len(self) else ()

    def _problems(self) -> list[Problem]:
        """Return the listed problems in order. The last one of each kind has the number of the others."""
        last_of_kind = {kind: position for position, (kind, _) in enumerate(self._listed)}
        listed = Counter(kind for kind, _ in self._listed)
        problems = [problem for _, problem in self._listed]
        for kind, position in last_of_kind.items():
            problems[position] = replace(problems[position], more=self._counts[kind] - listed[kind])
        problems.sort(key=lambda problem: (self._position_of(problem.file), problem.line or 0))
        if self._unlisted:
            value = f"{self._unlisted:,} further problems"
            problems.append(Problem(problems[-1].file, None, "", value, "the problems above to be corrected first"))
        return problems

    def _position_of(self, file: str) -> int:
        return self._file_positions.setdefault(file, len(self._file_positions))


class _Kind(NamedTuple):
    file: str
    field: str
    expected: str


@lru_cache(maxsize=1_000)
def _without_varying_parts(text: str) -> str:
    return _VARYING_PART.sub("#", text)


def repeated_names(names: Sequence[str]) -> list[str]:
    """Return each name that occurs more than once, in order, by one scan."""
    return [name for name, count in Counter(names).items() if count > 1]


def list_names(names: Sequence[str], *, most: int = 20) -> str:
    """List the first names, with long ones shortened."""
    first = (name if len(name) <= MAX_DESCRIBED_LENGTH else describe_value(name) for name in names[:most])
    return ", ".join(first) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def describe_value(value: object) -> str:
    """Render a value for a problem: as JSON, with long texts shortened and containers given by their size."""
    if isinstance(value, str):
        return _describe_text(value)
    if isinstance(value, dict):
        return f"an object with {len(value)} keys"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**MAX_DESCRIBED_LENGTH else f"an integer of {value.bit_length()} bits"
    return json.dumps(value, default=str)


def _describe_text(text: str) -> str:
    if len(text) <= MAX_DESCRIBED_LENGTH:
        return json.dumps(text, ensure_ascii=False)
    return f"{json.dumps(text[:MAX_DESCRIBED_LENGTH] + '…', ensure_ascii=False)} ({len(text):,} characters)"


def _escape_unprintable(text: str) -> str:
    """Escape line separators, lone surrogates, and other characters that cannot be seen.

    Accents apart from their letters are escaped too, since the usual composed letters look the same.
    """
    is_composed = unicodedata.is_normalized("NFC", text)
    if text.isprintable() and is_composed:
        return text
    return "".join(c if c.isprintable() and (is_composed or not unicodedata.combining(c)) else _escape(c) for c in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
