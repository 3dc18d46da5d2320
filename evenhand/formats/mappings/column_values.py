"""The first values of a column, and what can be seen in them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from evenhand.formats.checked_rows import CheckedRow, FileRows
from evenhand.formats.mappings.cell_texts import is_missing_score, plain_text, read_conversation

SAMPLED_ROWS = 1_000
SAMPLED_LENGTH = 500  # characters of one value
SAMPLED_CHARACTERS = 5_000_000
SHORT_TEXT = 25  # mean characters up to which values look like names, not texts
_NEW_WORD = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[0-9])")
_CODE = re.compile(r"[A-Za-z0-9_.:/@+-]+")
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class ColumnValues:
    """A column and its values on the first rows; "" where it has none. name: as in the file.

    is_numeric: True for numbers, among which a few cells may say that a score is missing.
    as_conversation: the first cell that may be a conversation, read as one; "" if there is none.
    """

    name: str
    values: Sequence[str]
    is_conversation: bool
    is_numeric: bool
    as_conversation: str = ""

    @property
    def label(self) -> str:
        """The name without the sign that ends the field in `score:NAME=COLUMN`."""
        return self.name.replace("=", "-")

    @property
    def words(self) -> str:
        return words_of(self.name)

    @cached_property
    def distinct(self) -> list[str]:
        """The distinct values in order, without the empty one."""
        return [value for value in dict.fromkeys(self.values) if value]

    @cached_property
    def is_text(self) -> bool:
        """True for texts, False for numbers, names and codes, which may be as long."""
        lengths = [len(value) for value in self.distinct]
        is_long = bool(lengths) and sum(lengths) / len(lengths) > SHORT_TEXT
        return is_long and not self.is_numeric and not all(map(_CODE.fullmatch, self.distinct))

    @property
    def is_unique(self) -> bool:
        return len(self.distinct) == len(self.values)

    def joined(self, other: "ColumnValues") -> "ColumnValues":
        """Return this column with the values of another one added to its own."""
        values = [f"{one}/{another}" for one, another in zip(self.values, other.values, strict=True)]
        return replace(self, values=values)

    def determines(self, other: "ColumnValues") -> bool:
        """Return True if equal values of this column always go with equal values of the other."""
        pairs = set(zip(self.values, other.values, strict=True))
        return len({value for value, _ in pairs}) == len(pairs)


def words_of(name: str) -> str:
    """Return a name in lower case, its words joined by underscores: "response_a" for `responseA`."""
    return _NO_WORD.sub("_", _NEW_WORD.sub("_", name)).strip("_").lower()


def sample_columns(file: FileRows) -> list[ColumnValues]:
    """Read the first values of each column, with long texts cut."""
    samples = {name: _Sample() for name in file.columns}
    size = 0
    for number, row in enumerate(file.first_rows(SAMPLED_ROWS)):
        for name, value in row.values.items():
            sample = samples.setdefault(name, _Sample())
            sample.add(row, name, value, number)
            size += len(sample.values[-1])
        if size > SAMPLED_CHARACTERS:
            break
    count = max((len(sample.values) for sample in samples.values()), default=0)
    return [sample.to_column(name, count) for name, sample in samples.items() if name]


class _Sample:
    """The values of a column while they are read."""

    def __init__(self) -> None:
        self.values: list[str] = []
        self._filled = self._conversations = self._numbers = self._missing = 0
        self._as_conversation = ""

    def add(self, row: CheckedRow, name: str, value: object, number: int) -> None:
        self._pad(number)
        text = _text_of(value)
        self.values.append(text[:SAMPLED_LENGTH])
        if text:
            self._filled += 1
            if found := read_conversation(value, is_declared=True):
                self._conversations += found.has_both
                self._as_conversation = self._as_conversation or found.answer or found.prompt
            self._numbers += not is_missing_score(value) and row.parse_number(name) is not None
            self._missing += is_missing_score(value)

    def to_column(self, name: str, count: int) -> ColumnValues:
        self._pad(count)
        return ColumnValues(
            name=name,
            values=self.values,
            is_conversation=0 < self._filled == self._conversations,
            is_numeric=0 < self._numbers == self._filled - self._missing,
            as_conversation=self._as_conversation,
        )

    def _pad(self, count: int) -> None:
        self.values += [""] * (count - len(self.values))


def _text_of(value: object) -> str:
    if found := read_conversation(value):
        return found.answer or ""
    text = plain_text(value)
    if text is None and isinstance(value, list):
        return "\n".join(map(str, value))
    return text or ""
