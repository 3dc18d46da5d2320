"""Open files that are one JSON object, or an archive of samples, as Inspect AI, promptfoo and DeepEval write them.

Their records are read one at a time, each time they are iterated, because a log may not fit into memory.
"""

import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from evenhand.file_problems import ProblemLog
from evenhand.formats.source_files import SourceFile
from evenhand.formats.tables.archives import BROKEN_ZIP
from evenhand.formats.tables.json_objects import BrokenJson, JsonText, read_elements

ArrayPath = tuple[str, ...]
"""Keys that lead to an array of a document."""

MAX_RECORD_CHARACTERS = 30_000_000
MAX_HEADER_VALUES, MAX_HEADER_TEXT = 10_000, 10_000
MAX_DEPTH = 20
SAMPLES: ArrayPath = ("samples",)
_ARCHIVE_SAMPLE = re.compile(r"samples/.+\.json")
_NO_ARRAY = object()  # in place of the element of an array that begins


@dataclass(frozen=True, slots=True)
class LogDocument:
    """A file that is one JSON object. Only its header is in memory.

    header: its short values outside arrays, nested as in the file. lengths: path of an array -> number of elements.
    arrays: path -> the elements, if all are objects.
    """

    header: Mapping[str, Any]
    lengths: Mapping[ArrayPath, int]
    arrays: Mapping[ArrayPath, Iterable[tuple[int, Mapping[str, Any]]]]


def open_document(file: SourceFile, log: ProblemLog) -> LogDocument | None:
    """Open a file that is one JSON object; None for a file of another kind."""
    start = file.start().removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"PK\x03\x04"):
        return _open_archive(file, log)
    if not start.startswith(b"{") or not _may_be_log(start):
        return None
    header: dict[str, Any] = {}
    are_objects: dict[ArrayPath, bool] = {}
    lengths: Counter[ArrayPath] = Counter()
    values = 0
    try:
        for path, is_element, value in _walk_file(file):
            if is_element:
                lengths[path] += value is not _NO_ARRAY
                are_objects[path] = are_objects.get(path, True) and (value is _NO_ARRAY or isinstance(value, dict))
            elif (values := values + 1) <= MAX_HEADER_VALUES:
                _put(header, path, value)
    except (BrokenJson, UnicodeDecodeError):
        return None  # JSON Lines, or broken: other readers explain it
    arrays = {path: _Records(partial(_elements, file, path)) for path, good in are_objects.items() if good}
    return LogDocument(header, lengths, arrays)


@dataclass(frozen=True, slots=True)
class _Records:
    """Records with their numbers, from 1. They are read again at each iteration."""

    read: Callable[[], Iterator[Mapping[str, Any]]] = field(repr=False)

    def __iter__(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        return enumerate(self.read(), start=1)


def _may_be_log(start: bytes) -> bool:
    """Return True if the first bytes have a key that a log begins with. Reading a large file takes long."""
    keys = (b'"version"', b'"evalId"', b'"results"', b'"testCases"', b'"test_results"', b'"testFile"', b'"identifier"')
    return any(key in start for key in keys)


def _put(header: dict[str, Any], path: ArrayPath, value: object) -> None:
    """Put a value into the nested header. Long texts are left out. Of two values under one key, the last counts."""
    if isinstance(value, str) and len(value) > MAX_HEADER_TEXT:
        return
    *outer, name = path
    for key in outer:
        if not isinstance(header.get(key), dict):
            header[key] = {}
        header = header[key]
    header[name] = value


def _elements(file: SourceFile, wanted: ArrayPath) -> Iterator[Mapping[str, Any]]:
    for path, is_element, value in _walk_file(file):
        if is_element and path == wanted and isinstance(value, dict):
            yield value


_Walk = Iterator[tuple[ArrayPath, bool, object]]
"""Path, whether it is of an array, and a value: a short one outside arrays, or an element."""


def _walk_file(file: SourceFile) -> _Walk:
    """Walk through the object that the whole file is. Raises BrokenJson."""
    with file.open_text(newline="\n") as stream:
        text = JsonText(stream, max_characters=MAX_RECORD_CHARACTERS)
        text.skip_space()
        yield from _walk(text, ())
        if not text.is_at_end:
            raise BrokenJson(text.position, "something follows the JSON")


def _walk(text: JsonText, path: ArrayPath) -> _Walk:
    if len(path) > MAX_DEPTH:
        raise BrokenJson(text.position, "objects nested too deeply")
    if text.starts_with("{"):
        yield from _walk_object(text, path)
    elif text.starts_with("["):
        yield path, True, _NO_ARRAY
        for _, element in read_elements(text):
            yield path, True, element
    else:
        yield path, False, text.read_value()


def _walk_object(text: JsonText, path: ArrayPath) -> _Walk:
    for _ in text.parts("}"):
        key = text.read_value()
        text.skip_space()
        if not isinstance(key, str) or not text.starts_with(":"):
            raise BrokenJson(text.position, "no key with a colon")
        text.skip(1)
        yield from _walk(text, (*path, key))


def _open_archive(file: SourceFile, log: ProblemLog) -> LogDocument | None:
    """Open the header and the samples of an `.eval` archive; None for another archive."""
    try:
        with file.open() as stream, zipfile.ZipFile(stream) as archive:
            if "header.json" not in archive.namelist():
                return None
            for member in archive.infolist():
                if member.file_size > MAX_RECORD_CHARACTERS:
                    log.add(file.name, None, member.filename, "a large sample", f"{MAX_RECORD_CHARACTERS:,} bytes")
                    return None
            header = json.loads(archive.read("header.json"))
    except NotImplementedError:  # from zipfile
        log.add(file.name, None, "", "compressed with Zstandard", "inspect log convert --to json")
        return None
    except BROKEN_ZIP:
        return None
    return (
        LogDocument(header, {}, {SAMPLES: _Records(partial(_samples_of, file))}) if isinstance(header, dict) else None
    )


def _samples_of(file: SourceFile) -> Iterator[Mapping[str, Any]]:
    with file.open() as stream, zipfile.ZipFile(stream) as archive:
        for name in archive.namelist():
            if _ARCHIVE_SAMPLE.fullmatch(name):
                yield json.loads(archive.read(name))
