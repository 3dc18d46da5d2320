"""One record of a log as rows of our own formats, and the log that it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

LogRecord = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LoggedItem:
    """One record of a log.

    line: its place in the file. For a file that is one JSON object, the number of the record, from 1.
    context: a line of an Evenhand dataset, with candidates, ratings and votes.
    scores, comparisons: rows of recorded judgments, without `context`.
    attributes: further names that the record may be judged by.
    """

    line: int
    context: dict[str, Any]
    scores: tuple[LogRecord, ...] = ()
    comparisons: tuple[LogRecord, ...] = ()

    @property
    def attributes(self) -> list[str]:
        """The attributes of all judgments, in order of appearance."""
        votes = self.context.get("votes", [])
        ratings = [name for one in self.context["candidates"] for name in one.get("ratings", {})]
        return [*(row["attribute"] for row in (*self.scores, *self.comparisons, *votes)), *ratings]


@dataclass(frozen=True, slots=True)
class ToolLog:
    """One file of a tool.

    records: line and values of each record. header: the values of the whole file, if it is one JSON object.
    lengths: keys that lead to an array of such a file -> number of elements.
    unused: counts, by reason, records and answers that no row holds.
    """

    file: str
    records: Iterable[tuple[int, LogRecord]]
    header: LogRecord = field(default_factory=dict)
    lengths: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    unused: Counter[str] = field(default_factory=Counter)

    def skip(self, reason: str) -> None:
        """Count something that cannot be used. reason: a plural, "samples without an output"."""
        self.unused[reason] += 1

    @property
    def stem(self) -> str:
        return PurePosixPath(self.file).stem

    @property
    def folder(self) -> str:
        """The name of the file's folder; "" if the name has none."""
        return PurePosixPath(self.file).parent.name

    def notes(self) -> list[str]:
        return [f"{self.file}: not used: {count:,} {reason}" for reason, count in self.unused.items()]


def drop_empty(**values: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON values
    """Return the values that are neither None nor empty."""
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}


def as_number(value: object) -> float | None:
    """Return a number or a truth value as a number; None for anything else."""
    return float(value) if isinstance(value, bool | int | float) and value == value else None


def as_text(value: object) -> str | None:
    """Return a text; the texts of a list of texts or of content parts, joined by line ends; else None."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    parts = [part.get("text") if isinstance(part, dict) else part for part in value]
    texts = [part for part in parts if isinstance(part, str)]
    return "\n".join(texts) if texts else None
