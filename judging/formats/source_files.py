"""Files as they come in: a name and bytes, and the text in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judging.formats.problems import ProblemLog

MAX_BYTES = 200_000_000
SIGNATURES = {
    b"PAR1": "a Parquet file, which is binary",
    b"PK\x03\x04": "a ZIP archive or a spreadsheet, which is binary",
    b"\x1f\x8b": "a gzip file, which is binary",
}
BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16
NOT_IN_TEXT = {*range(0x09), *range(0x0E, 0x20)}
LOOKED_AT = 8_192  # bytes


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file's name (with or without folders) and its content."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of a file, without byte order mark."""

    name: str
    text: str

    @property
    def looks_like_json(self) -> bool:
        return self.text.lstrip()[:1] in ("{", "[")


def decode_all(files: Sequence[SourceFile], log: ProblemLog, *, max_bytes: int) -> list[SourceText]:
    """The text of each file; those that have none are left out, with the problem logged."""
    texts = (_decoded(file, log, max_bytes=max_bytes) for file in files)
    return [text for text in texts if text is not None]


def _decoded(file: SourceFile, log: ProblemLog, *, max_bytes: int) -> SourceText | None:
    if len(file.content) > max_bytes:
        size = f"{len(file.content):,} bytes"
        log.add(file.name, None, "", size, f"at most {max_bytes:,} bytes; split the file")
        return None
    if kind := _binary_kind(file.content):
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


def _binary_kind(content: bytes) -> str:
    """What a file is that holds no text in UTF-8 at all; "" for one that may have a wrong byte here and there."""
    if content.startswith(BYTE_ORDER_MARKS):
        return "text in UTF-16"
    if b"\0" not in content:
        return ""
    named = next((kind for start, kind in SIGNATURES.items() if content.startswith(start)), "")
    is_binary = len(NOT_IN_TEXT.intersection(content[:LOOKED_AT])) > 1  # a single kind may be an accident
    return named or ("a binary file" if is_binary else "")


def _add_byte_problem(file: SourceFile, offset: int, expected: str, log: ProblemLog) -> None:
    line = file.content.count(b"\n", 0, offset) + 1
    log.add(file.name, line, f"byte {offset} of the file", f"0x{file.content[offset]:02x}", expected)
