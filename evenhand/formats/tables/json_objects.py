"""Read JSON Lines, or one JSON array of objects, object by object."""

import json
import re
from collections.abc import Generator, Iterator
from io import TextIOWrapper

from evenhand.file_problems import ProblemLog, describe_value, repeated_names
from evenhand.formats.checked_rows import CheckedRow, FileRows
from evenhand.formats.source_files import SourceFile

MAX_KEYS = 10_000  # of one object
MAX_OBJECT_CHARACTERS = 3_000_000
MAX_OBJECT_VALUES = 500_000
BLOCK_CHARACTERS = 100_000
LONGEST_TOKEN = 20  # characters of a literal or an escape that a block may cut
LONGEST_EXPONENT_START = 2  # characters such as `e-`, before which a cut number seems to end

_SPACE = re.compile(r"[ \t\r\n]*")


class BrokenJson(Exception):
    """Raised for JSON that cannot be read. position: in the text, in characters from 0."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(reason)
        self.position = position
        self.reason = reason


def open_json(file: SourceFile, log: ProblemLog) -> FileRows:
    """Open a file of objects. Broken lines are logged and left out. A broken array is read up to the break."""
    rows = FileRows(file.name, (), log, open_rows=lambda log: _read_rows(file, log), is_table=False)
    first = rows.peek(1)
    return FileRows(file.name, tuple(first[0].values) if first else (), log, open_rows=rows.open_rows, is_table=False)


def _read_rows(file: SourceFile, log: ProblemLog) -> Generator[CheckedRow]:
    with file.open_text(newline="\n") as stream:
        array = JsonText(stream)
        array.skip_space()
        if array.starts_with("["):
            yield from _read_array(file.name, array, log)
            return
    with file.open_text(newline="\n") as stream:
        yield from _read_lines(file.name, stream, log)


def _read_lines(file: str, stream: TextIOWrapper, log: ProblemLog) -> Generator[CheckedRow]:
    line, is_json = 0, False
    while text := stream.readline(MAX_OBJECT_CHARACTERS + 1):
        line += 1
        try:
            for row in _read_line(file, line, text, log):
                is_json = True
                yield row
        except BrokenJson as error:
            log.add(file, line, f"column {error.position + 1}", error.reason, "one whole JSON object on the line")
        while len(text) > MAX_OBJECT_CHARACTERS and not text.endswith("\n"):
            text = stream.readline(MAX_OBJECT_CHARACTERS + 1)
    if not is_json:  # the file is something else, and one problem is enough
        log.discard(file, after=1)


def _read_line(file: str, line: int, text: str, log: ProblemLog) -> list[CheckedRow]:
    """Read the row on one line; no row if the line is blank or holds no object."""
    start = _skip_space(text, 0)
    if start == len(text):
        return []
    if len(text) > MAX_OBJECT_CHARACTERS:
        raise BrokenJson(start, f"an object of more than {MAX_OBJECT_CHARACTERS:,} characters")
    _refuse_many_values(text)
    value, end = _decode_value(text, start)
    if (after := _skip_space(text, end)) < len(text):
        raise BrokenJson(after, "something follows the JSON")
    return _make_row(file, line, value, log)


def _read_array(file: str, array: "JsonText", log: ProblemLog) -> Generator[CheckedRow]:
    try:
        for line, value in read_elements(array):
            yield from _make_row(file, line, value, log)
        if not array.is_at_end:
            raise BrokenJson(array.position, "something follows the JSON")
    except BrokenJson as error:
        line, column = array.place_of(error.position)
        log.add(file, line, f"column {column}", error.reason, "one whole JSON array of objects")


def read_elements(array: "JsonText") -> Iterator[tuple[int, object]]:
    """Yield the elements of the array, each with its line."""
    for _ in array.parts("]"):
        line, _ = array.place_of(array.position)
        yield line, array.read_value()


class JsonText:
    """A JSON text that is read block by block. position: of the next character in the block.

    max_characters: of the longest value that `read_value` reads.
    """

    def __init__(self, stream: TextIOWrapper, *, max_characters: int = MAX_OBJECT_CHARACTERS) -> None:
        self._stream = stream
        self._max_characters = max_characters
        self._text = ""
        self._is_last_block = False
        self._line = 1
        self._line_start = 0  # position of the line's first character; negative if it is no longer in memory
        self._counted = 0  # newlines are counted up to this position
        self.position = 0

    @property
    def is_at_end(self) -> bool:
        return self._is_last_block and self.position == len(self._text)

    def starts_with(self, character: str) -> bool:
        return self._text.startswith(character, self.position)

    def skip(self, count: int) -> None:
        """Skip some characters and the space after them."""
        self.position += count
        self.skip_space()

    def skip_space(self) -> None:
        self.position = _skip_space(self._text, self.position)
        while self.position == len(self._text) and not self._is_last_block:
            self._read_block()
            self.position = _skip_space(self._text, self.position)

    def parts(self, end: str) -> Iterator[None]:
        """Yield before each part of an array or object. The caller reads the part. end: the closing bracket."""
        self.skip(1)
        while not self.starts_with(end):
            yield
            self.skip_space()
            if self.starts_with(","):
                self.skip(1)
                if self.starts_with(end):
                    raise BrokenJson(self.position, "a comma before the closing bracket")
            elif not self.starts_with(end):
                reason = "the JSON ends too early" if self.is_at_end else "no comma or bracket after the element"
                raise BrokenJson(self.position, reason)
        self.skip(1)

    def read_value(self) -> object:
        """Read one JSON value. Blocks are read until the value is whole."""
        while True:
            try:
                value, end = _decode_value(self._text, self.position)
                if end + LONGEST_EXPONENT_START < len(self._text) or self._is_last_block:
                    self.position = end
                    return value
            except BrokenJson as error:
                if not self._may_be_cut(error):
                    raise
            self._read_block()
            _refuse_many_values(self._text)

    def place_of(self, position: int) -> tuple[int, int]:
        """Return line and column of a position, both from 1."""
        newlines = self._text.count("\n", self._counted, position)
        if newlines:
            self._line += newlines
            self._line_start = self._text.rindex("\n", self._counted, position) + 1
        self._counted = max(position, self._counted)
        return self._line, position - self._line_start + 1

    def _read_block(self) -> None:
        """Drop what was read, and read at least as many characters as are left, so that each is decoded a few times."""
        self.place_of(self.position)
        rest = self._text[self.position :]
        if len(rest) >= self._max_characters:
            raise BrokenJson(self.position, f"an object of more than {self._max_characters:,} characters")
        block = self._stream.read(min(max(BLOCK_CHARACTERS, len(rest)), self._max_characters - len(rest)))
        self._is_last_block = not block
        self._line_start -= self.position
        self._counted -= self.position
        self._text, self.position = rest + block, 0

    def _may_be_cut(self, error: BrokenJson) -> bool:
        """Return True if the error may come from the end of the block, not from the file."""
        near_end = error.position >= len(self._text) - LONGEST_TOKEN
        return not self._is_last_block and (near_end or error.reason.startswith("Unterminated string"))


def _refuse_many_values(text: str) -> None:
    """Raise BrokenJson for a text whose values would fill the memory. Marks inside texts are counted too."""
    if sum(text.count(mark) for mark in ",[{") > MAX_OBJECT_VALUES:
        raise BrokenJson(0, f"an object of more than {MAX_OBJECT_VALUES:,} values")


def _make_row(file: str, line: int, value: object, log: ProblemLog) -> list[CheckedRow]:
    if isinstance(value, dict):
        return [CheckedRow(file, line, value, log)]
    log.add(file, line, "", describe_value(value), "a JSON object")
    return []


def _decode_value(text: str, position: int) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(text, position)
    except json.JSONDecodeError as error:
        raise BrokenJson(error.pos, "the JSON ends too early" if error.pos >= len(text) else error.msg) from None
    except RecursionError:
        raise BrokenJson(position, "objects or lists nested too deeply") from None
    except BrokenJson as error:  # of `_make_object`
        raise BrokenJson(position, error.reason) from None
    except ValueError:  # Python refuses to read integers of more than 4,300 digits
        raise BrokenJson(position, "a number of too many digits") from None


def _make_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Raises BrokenJson for too many keys, and for a repeated one, whose values the json module would lose."""
    if len(pairs) > MAX_KEYS:
        raise BrokenJson(0, f"an object of {len(pairs):,} keys; at most {MAX_KEYS:,} are read")
    values = dict(pairs)
    if len(values) < len(pairs):
        repeated = repeated_names([key for key, _ in pairs])[0]
        raise BrokenJson(0, f"the key {describe_value(repeated)} twice in one object")
    return values


_DECODER = json.JSONDecoder(object_pairs_hook=_make_object)


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position
