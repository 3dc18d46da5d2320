"""Notes on what a mapped table leaves empty: cells that mean no score, and lines without a vote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from judging.file_problems import describe_value
from judging.formats.checked_rows import CheckedRow
from judging.units import counted

MISSING_SCORES = {"na", "n/a", "nan", "null", "-"}  # in any case
_MOST_NAMED = 5  # lines, or spellings
_MOST_EXAMPLES = 3
_MOST_WORDS = 1_000  # that are remembered


def is_missing_score(value: object) -> bool:
    """Return True for a value that people write where there is no score."""
    is_nan = isinstance(value, float) and value != value
    return is_nan or (isinstance(value, str) and value.strip().lower() in MISSING_SCORES)


class ReadingNotes:
    """Counts such cells and lines, and notes them once for all files.

    unread_texts: columns that are not read, but are named as the texts of contexts are.
    """

    def __init__(self, *, has_several_files: bool = False, unread_texts: Sequence[str] = ()) -> None:
        self._has_several_files = has_several_files
        self.unread_texts = unread_texts
        self.lines_without_context = 0
        self._cells = self._lines = 0
        self._words: set[tuple[str, str]] = set()
        self._spellings: dict[str, None] = {}
        self._first_lines: list[str] = []
        self._facts: dict[tuple[str, str], list[str]] = {}
        self._counts = Counter[tuple[str, str]]()

    def add_missing_score(self, value: object) -> None:
        self._cells += 1
        if len(self._spellings) < _MOST_NAMED:
            self._spellings[describe_value(value)] = None

    def has_refused(self, row: CheckedRow, column: str) -> bool:
        """Return True for a word in place of a score that a line before had too. It is a problem once."""
        word = row.values[column]
        if not isinstance(word, str) or row.parse_number(column) is not None or len(self._words) > _MOST_WORDS:
            return False
        is_known = (column, word) in self._words
        self._words.add((column, word))
        return is_known

    def add_line_without_vote(self, row: CheckedRow) -> None:
        self._lines += 1
        if len(self._first_lines) < _MOST_NAMED:
            self._first_lines.append(f"{row.file} line {row.line}" if self._has_several_files else str(row.line))

    def add_cell(self, column: str, fact: str, row: CheckedRow, value: object, other: str | None = None) -> None:
        """Count a cell of a column. fact: what is true of it. other: its text if it is read as a conversation."""
        self._counts[column, fact] += 1
        examples = self._facts.setdefault((column, fact), [])
        if len(examples) < _MOST_EXAMPLES:
            or_else = "" if other is None else f", or {describe_value(other)}"
            examples.append(f"{self._place_of(row)}: {describe_value(value)}{or_else}")

    def _place_of(self, row: CheckedRow) -> str:
        return f"{row.file} line {row.line}" if self._has_several_files else f"line {row.line}"

    def sentences(self) -> Iterator[str]:
        """Yield one sentence for each kind."""
        for (column, fact), examples in self._facts.items():
            yield f"{column}: {counted(self._counts[column, fact], 'cell')} {fact} ({'; '.join(examples)})"
        if self.lines_without_context:
            yield f"{counted(self.lines_without_context, 'line')} without a text of the context"
        if self._cells:
            verb = "is" if self._cells == 1 else "are"
            yield f"{counted(self._cells, 'cell')} ({', '.join(self._spellings)}) {verb} read as no score"
        if self._lines:
            more = self._lines - len(self._first_lines)
            places = ", ".join(self._first_lines) + (f" and {more:,} more" if more else "")
            if not self._has_several_files:
                places = f"line{'' if self._lines == 1 else 's'} {places}"
            yield (
                f"1 line has no vote ({places}): its pair is kept"
                if self._lines == 1
                else f"{self._lines:,} lines have no vote ({places}): their pairs are kept"
            )
