"""Open files that are one JSON object with samples, or an archive of samples, as Inspect AI writes them.

The samples are read one at a time, each time they are iterated, because a log may not fit into memory.
"""

import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from evenhand.file_problems import ProblemLog
from evenhand.formats.source_files import SourceFile
from evenhand.formats.tables.archives import BROKEN_ZIP
from evenhand.formats.tables.json_objects import BrokenJson, JsonText, read_elements

MAX_RECORD_CHARACTERS = 30_000_000
MAX_HEADER_VALUES, MAX_HEADER_TEXT = 10_000, 10_000
MAX_DEPTH = 20
SAMPLES = ("samples",)
_ARCHIVE_SAMPLE = re.compile(r"samples/.+\.json")
_NO_ARRAY = object()  # in place of the element of an array that begins


@dataclass(frozen=True, slots=True)
class LogDocument:
    """A file that is one JSON object. Only its header is in memory.

    header: its short values outside arrays, nested as in the file. samples: with their numbers.
    """

    header: Mapping[str, Any]
    samples: Iterable[tuple[int, Mapping[str, Any]]]


def open_document(file: SourceFile, log: ProblemLog) -> LogDocument | None:
    """Open a file that is one JSON object with samples, all objects; None for a file of another kind."""
    start = file.start().removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"PK\x03\x04"):
        return _open_archive(file, log)
    if not start.startswith(b"{") or b'"version"' not in start:
        return None  # reading a large file takes long
    header: dict[str, Any] = {}
    values, has_samples = 0, False
    try:
        for path, is_element, value in _walk_file(file):
            if is_element:
                has_samples |= path == SAMPLES
                if path == SAMPLES and value is not _NO_ARRAY and not isinstance(value, dict):
                    return None
            elif (values := values + 1) <= MAX_HEADER_VALUES:
                _put(header, path, value)
    except (BrokenJson, UnicodeDecodeError):
        return None  # JSON Lines, or broken: other readers explain it
    return LogDocument(header, _Records(partial(_samples_in, file))) if has_samples else None


@dataclass(frozen=True, slots=True)
class _Records:
    """Records with their numbers, from 1. They are read again at each iteration."""

    read: Callable[[], Iterator[Mapping[str, Any]]] = field(repr=False)

    def __iter__(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        return enumerate(self.read(), start=1)


def _put(header: dict[str, Any], path: tuple[str, ...], value: object) -> None:
    """Put a value into the nested header. Long texts are left out. Of two values under one key, the last counts."""
    if isinstance(value, str) and len(value) > MAX_HEADER_TEXT:
        return
    *outer, name = path
    for key in outer:
        if not isinstance(header.get(key), dict):
            header[key] = {}
        header = header[key]
    header[name] = value


def _samples_in(file: SourceFile) -> Iterator[Mapping[str, Any]]:
    for path, is_element, value in _walk_file(file):
        if is_element and path == SAMPLES and isinstance(value, dict):
            yield value


_Walk = Iterator[tuple[tuple[str, ...], bool, object]]
"""Path, whether it is of an array, and a value: a short one outside arrays, or an element."""


def _walk_file(file: SourceFile) -> _Walk:
    """Walk through the object that the whole file is. Raises BrokenJson."""
    with file.open_text(newline="\n") as stream:
        text = JsonText(stream, max_characters=MAX_RECORD_CHARACTERS)
        text.skip_space()
        yield from _walk(text, ())
        if not text.is_at_end:
            raise BrokenJson(text.position, "something follows the JSON")


def _walk(text: JsonText, path: tuple[str, ...]) -> _Walk:
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


def _walk_object(text: JsonText, path: tuple[str, ...]) -> _Walk:
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
    return LogDocument(header, _Records(partial(_samples_of, file))) if isinstance(header, dict) else None


def _samples_of(file: SourceFile) -> Iterator[Mapping[str, Any]]:
    with file.open() as stream, zipfile.ZipFile(stream) as archive:
        for name in archive.namelist():
            if _ARCHIVE_SAMPLE.fullmatch(name):
                yield json.loads(archive.read(name))
