"""What is wrong with a file: where, the value found, and what was expected."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong. `str()` is the one line to print.

    file: its name as given. line: counted from 1; None where the whole file is meant.
    field: path within the line, e.g. `candidates[3].scores.coherence`; empty where the whole line is meant.
    value: what stands there, as `shown` renders it, or a word such as "missing".
    """

    file: str
    line: int | None
    field: str
    value: str
    expected: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        found = ": ".join(part for part in (place, self.field, self.value) if part)
        return _on_one_line(f"{found} — expected {self.expected}")


class InvalidFile(Exception):
    """Files that cannot be read. `problems` holds every problem of every file, in file order.

    read: what could be made of the files in spite of them, with stand-ins for what is wrong; for further checks alone.
    """

    def __init__(self, problems: Iterable[Problem], *, read: Sequence[Any] = ()) -> None:
        self.problems = tuple(problems)
        self.read = read
        super().__init__("\n".join(map(str, self.problems)))


class ProblemLog:
    """Collects the problems of some files, so that reading goes on after the first.

    What a check gives back after it has logged a problem is a stand-in; `raise_if_any` keeps it from being stored.
    """

    def __init__(self, files: Iterable[str]) -> None:
        self._places = {name: place for place, name in reversed(list(enumerate(files)))}
        self._problems: list[Problem] = []

    def add(self, file: str, line: int | None, field: str, value: str, expected: str) -> None:
        words = map(_on_one_line, (field, value, expected))  # a lone surrogate can be shown by no page
        self._problems.append(Problem(file, line, *words))

    def forget(self, file: str) -> None:
        """Drop what was logged of a file, where one word about the whole of it says more."""
        self._problems = [problem for problem in self._problems if problem.file != file]

    def __len__(self) -> int:
        return len(self._problems)

    def raise_if_any(self, *, read: Sequence[Any] = ()) -> None:
        """Raise InvalidFile with the problems found so far, by file and line, and with what was read."""
        if self._problems:
            raise InvalidFile(sorted(self._problems, key=self._place), read=read)

    def _place(self, problem: Problem) -> tuple[int, int]:
        return self._places[problem.file], problem.line or 0


def shown(value: object) -> str:
    """A value of a file as problems show it: as JSON, a long text shortened, a container by its size alone."""
    if isinstance(value, str):
        return _shown_text(value)
    if isinstance(value, dict):
        return f"an object with {len(value)} keys"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**LONGEST_SHOWN else f"an integer of {value.bit_length()} bits"
    return json.dumps(value)


def _shown_text(text: str) -> str:
    if len(text) <= LONGEST_SHOWN:
        return json.dumps(text, ensure_ascii=False)
    return f"{json.dumps(text[:LONGEST_SHOWN] + '…', ensure_ascii=False)} ({len(text):,} characters)"


def _on_one_line(text: str) -> str:
    """Escape what does not print (line separators, lone surrogates), so that a problem stays one line anywhere."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
