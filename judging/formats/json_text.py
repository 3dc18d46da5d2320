"""JSON Lines, or one JSON array of objects -> rows that know their line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from judging.formats.checked_rows import FileRows, Row
from judging.formats.problems import ProblemLog, shown
from judging.formats.source_files import SourceText

_SPACE = re.compile(r"[ \t\r\n]*")


class _Broken(Exception):
    """JSON that cannot be read. position: where in the text, in characters from 0."""

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(reason)
        self.position = position
        self.reason = reason


class _RepeatedKey(ValueError):
    """An object names a key twice; the json module would keep the last and lose the others."""


def read_objects(source: SourceText, log: ProblemLog) -> FileRows:
    """The objects of the file, in order. Broken lines are logged and left out; a broken array is read up to there."""
    start = _after_space(source.text, 0)
    is_array = source.text.startswith("[", start)
    rows = _read_array(source, start, log) if is_array else _read_lines(source, log)
    return FileRows(source.name, tuple(rows[0].values) if rows else (), tuple(rows), is_table=False)


def _read_lines(source: SourceText, log: ProblemLog) -> list[Row]:
    rows: list[Row] = []
    broken: list[tuple[int, _Broken]] = []
    for line, text in enumerate(source.text.split("\n"), start=1):
        try:
            rows += _row_on(source.name, line, text, log)
        except _Broken as error:
            broken.append((line, error))
    if not rows:
        broken = broken[:1]  # not one line is JSON: the file is something else, and one word is enough
    for line, reason in broken:
        log.add(source.name, line, f"column {reason.position + 1}", reason.reason, "one whole JSON object on the line")
    return rows


def _row_on(file: str, line: int, text: str, log: ProblemLog) -> list[Row]:
    """The row on one line; none if the line is blank or holds something else than an object."""
    start = _after_space(text, 0)
    if start == len(text):
        return []
    value, end = _value_at(text, start)
    if (after := _after_space(text, end)) < len(text):
        raise _Broken(after, "something follows the JSON")
    return _row(file, line, value, log)


def _read_array(source: SourceText, start: int, log: ProblemLog) -> list[Row]:
    rows: list[Row] = []
    line, counted = 1, 0
    try:
        for position, value in _elements(source.text, start):
            line, counted = line + source.text.count("\n", counted, position), position
            rows += _row(source.name, line, value, log)
    except _Broken as error:
        line = source.text.count("\n", 0, error.position) + 1
        column = error.position - source.text.rfind("\n", 0, error.position)
        log.add(source.name, line, f"column {column}", error.reason, "one whole JSON array of objects")
    return rows


def _elements(text: str, start: int) -> Iterator[tuple[int, object]]:
    """The elements of the array that opens at `start`, each with its position."""
    position = _after_space(text, start + 1)
    while not text.startswith("]", position):
        value, end = _value_at(text, position)
        yield position, value
        position = _after_space(text, end)
        if text.startswith(",", position):
            position = _after_space(text, position + 1)
            if text.startswith("]", position):
                raise _Broken(position, "a comma before the closing bracket")
        elif not text.startswith("]", position):
            is_end = position == len(text)
            raise _Broken(position, "the JSON ends too early" if is_end else "no comma or bracket after the element")
    if (after := _after_space(text, position + 1)) < len(text):
        raise _Broken(after, "something follows the JSON")


def _row(file: str, line: int, value: object, log: ProblemLog) -> list[Row]:
    if isinstance(value, dict):
        return [Row(file, line, value, log)]
    log.add(file, line, "", shown(value), "a JSON object")
    return []


def _value_at(text: str, position: int) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(text, position)
    except json.JSONDecodeError as error:
        raise _Broken(error.pos, "the JSON ends too early" if error.pos >= len(text) else error.msg) from None
    except RecursionError:
        raise _Broken(position, "objects or lists nested too deeply") from None
    except _RepeatedKey as error:
        raise _Broken(position, str(error)) from None
    except ValueError:  # Python refuses to read integers of more than some thousand digits
        raise _Broken(position, "a number of too many digits") from None


def _object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _RepeatedKey(f"the key {shown(next(key for key in keys if keys.count(key) > 1))} twice in one object")
    return values


_DECODER = json.JSONDecoder(object_pairs_hook=_object_of)


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position
