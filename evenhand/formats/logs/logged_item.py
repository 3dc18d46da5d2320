"""One record of a log as rows of our own formats, and the log that it comes from."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from evenhand.file_problems import describe_value
from evenhand.formats.mappings.table_mapping import TableMapping

LogRecord = Mapping[str, Any]
_MOST_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class LoggedItem:
    """One record of a log.

    line: its place in the file. For a file that is one JSON object, the number of the record, from 1.
    context: a line of an Evenhand dataset, with candidates, ratings and votes.
    scores, comparisons: rows of recorded judgments, without `context`. Empty values in them are no values.
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


class Label(NamedTuple):
    """An answer of people in words. meaning: a choice; "" if it is not clear. is_guess: nobody said so."""

    meaning: str
    is_guess: bool
    number: int


@dataclass(frozen=True, slots=True)
class ToolLog:
    """One file of a tool.

    records: line and values of each record. header: the values of the whole file, if it is one JSON object.
    lengths: keys that lead to an array of such a file -> number of elements.
    unused: counts, by reason, records and answers that no row holds. examples: the first of them, by reason.
    mapping: fields, and meanings of labels, that a person gave. labels: question -> label -> what it means.
    """

    file: str
    records: Iterable[tuple[int, LogRecord]]
    header: LogRecord = field(default_factory=dict)
    lengths: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    unused: Counter[str] = field(default_factory=Counter)
    examples: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    mapping: TableMapping = field(default_factory=lambda: TableMapping(""))
    labels: dict[str, dict[str, Label]] = field(default_factory=lambda: defaultdict(dict))
    notes: list[str] = field(default_factory=list)

    def skip(self, reason: str, example: object = "") -> None:
        """Count something that cannot be used. reason: a plural, "samples without an output"."""
        self.unused[reason] += 1
        if example and len(self.examples[reason]) < _MOST_EXAMPLES:
            self.examples[reason][describe_value(example)] = None

    @property
    def stem(self) -> str:
        return PurePosixPath(self.file).stem

    @property
    def folder(self) -> str:
        """The name of the file's folder; "" if the name has none."""
        return PurePosixPath(self.file).parent.name

    def unused_parts(self) -> list[str]:
        """Return what was not used, with its number and the first examples."""
        examples = {reason: f": {', '.join(some)}" for reason, some in self.examples.items()}
        return [f"not used: {count:,} {reason}{examples.get(reason, '')}" for reason, count in self.unused.items()]


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
