"""Uploaded files as names and bytes, and the decoding of their text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judging.formats.problems import ProblemLog

MAX_FILE_BYTES = 200_000_000
BINARY_SIGNATURES = {
    b"PAR1": "a Parquet file, which is binary",
    b"PK\x03\x04": "a ZIP archive or a spreadsheet, which is binary",
    b"\x1f\x8b": "a gzip file, which is binary",
}
UTF16_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
CONTROL_BYTES = {*range(0x09), *range(0x0E, 0x20)}  # without tab and line ends
INSPECTED_BYTES = 8_192  # at the start of a file, searched for control bytes


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file's name (with or without folders) and its content."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class SourceText:
    """The decoded text of a file, without byte order mark."""

    name: str
    text: str

    @property
    def looks_like_json(self) -> bool:
        return self.text.lstrip()[:1] in ("{", "[")


def decode_files(files: Sequence[SourceFile], log: ProblemLog, *, max_bytes: int) -> list[SourceText]:
    """Decode each file. Log and leave out those that are empty, too large or not UTF-8 text."""
    texts = (_decode_file(file, log, max_bytes=max_bytes) for file in files)
    return [text for text in texts if text is not None]


def _decode_file(file: SourceFile, log: ProblemLog, *, max_bytes: int) -> SourceText | None:
    if len(file.content) > max_bytes:
        size = f"{len(file.content):,} bytes"
        log.add(file.name, None, "", size, f"at most {max_bytes:,} bytes; split the file")
        return None
    if kind := _name_binary_kind(file.content):
        log.add(file.name, None, "", kind, "text in UTF-8: CSV, JSON or JSON Lines")
        return None
    if b"\0" in file.content:
        _add_byte_problem(file, file.content.index(b"\0"), "text without the character U+0000", log)
        return None
    try:
        text = file.content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        _add_byte_problem(file, error.start, "UTF-8 text (a spreadsheet saves it as CSV UTF-8)", log)
        return None
    if not text.strip():
        log.add(file.name, None, "", "the file is empty", "some content")
        return None
    return SourceText(file.name, text)


def _name_binary_kind(content: bytes) -> str:
    """Name the kind of a binary or UTF-16 file. Return "" for a text that may have a few wrong bytes."""
    if content.startswith(UTF16_BYTE_ORDER_MARKS):
        return "text in UTF-16"
    if b"\0" not in content:
        return ""
    known_kind = next((kind for start, kind in BINARY_SIGNATURES.items() if content.startswith(start)), "")
    is_binary = len(CONTROL_BYTES.intersection(content[:INSPECTED_BYTES])) > 1  # one kind may be an accident
    return known_kind or ("a binary file" if is_binary else "")


def _add_byte_problem(file: SourceFile, offset: int, expected: str, log: ProblemLog) -> None:
    line = file.content.count(b"\n", 0, offset) + 1
    log.add(file.name, line, f"byte {offset} of the file", f"0x{file.content[offset]:02x}", expected)
