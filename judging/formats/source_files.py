"""Files to read: their names, their bytes, and checks of what kind they are."""

from __future__ import annotations

import codecs
import hashlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from judging.file_problems import ProblemLog

MAX_FILE_BYTES = 1_000 * 2**20
BINARY_SIGNATURES = {
    b"\x1f\x8b": "a gzip file, which is binary",
}
UTF16_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
CONTROL_BYTES = {*range(0x09), *range(0x0E, 0x20)}  # without tab and line ends
INSPECTED_BYTES = 8_192  # at the start of a file, searched for control bytes
BLOCK_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file's name (with or without folders), and its content in memory or at a path."""

    name: str
    content: bytes = b""
    path: Path | None = None

    @property
    def size(self) -> int:
        return self.path.stat().st_size if self.path else len(self.content)

    def open(self) -> BinaryIO:
        return self.path.open("rb") if self.path else io.BytesIO(self.content)

    def read(self) -> bytes:
        return self.path.read_bytes() if self.path else self.content

    def open_text(self, *, newline: str) -> io.TextIOWrapper:
        """Open the file as UTF-8 text, without byte order mark."""
        return io.TextIOWrapper(self.open(), encoding="utf-8-sig", newline=newline)

    def start(self) -> bytes:
        """Return the first bytes."""
        with self.open() as stream:
            return stream.read(INSPECTED_BYTES)

    def blocks(self) -> Iterator[bytes]:
        """Yield the content in blocks."""
        with self.open() as stream:
            while block := stream.read(BLOCK_BYTES):
                yield block


def hash_files(files: Iterable[SourceFile]) -> str:
    """Return the SHA-256 of the concatenated files, in hexadecimal."""
    digest = hashlib.sha256()
    for file in files:
        for block in file.blocks():
            digest.update(block)
    return digest.hexdigest()


def is_small_enough(file: SourceFile, log: ProblemLog, *, max_bytes: int) -> bool:
    """Return True if the file has at most `max_bytes`. Log the problem otherwise."""
    if file.size <= max_bytes:
        return True
    log.add(file.name, None, "", f"{file.size:,} bytes", f"at most {max_bytes:,} bytes; split the file")
    return False


def is_text(file: SourceFile, log: ProblemLog) -> bool:
    """Return True for UTF-8 text with some content. Log the problem otherwise."""
    if kind := name_binary_kind(file.start()):
        log.add(file.name, None, "", kind, "text in UTF-8: CSV, JSON or JSON Lines")
        return False
    try:
        is_empty = True
        for text in _decode_blocks(file):  # to the end, because any byte may be wrong
            is_empty = is_empty and not text.strip().strip("\ufeff")
    except _WrongByte as wrong:
        log.add(file.name, wrong.line, f"byte {wrong.offset} of the file", f"0x{wrong.byte:02x}", wrong.expected)
        return False
    if is_empty:
        log.add(file.name, None, "", "the file is empty", "some content")
    return not is_empty


def name_binary_kind(start: bytes) -> str:
    """Name the kind of a binary or UTF-16 file by its first bytes. Return "" for a text with a few wrong bytes."""
    if start.startswith(UTF16_BYTE_ORDER_MARKS):
        return "text in UTF-16"
    if b"\0" not in start:
        return ""
    known_kind = next((kind for signature, kind in BINARY_SIGNATURES.items() if start.startswith(signature)), "")
    is_binary = len(CONTROL_BYTES.intersection(start)) > 1  # one kind may be an accident
    return known_kind or ("a binary file" if is_binary else "")


class _WrongByte(ValueError):
    """Raised for a byte that a text may not have. offset: in the file, from 0. line: from 1."""

    def __init__(self, file: SourceFile, offset: int, expected: str) -> None:
        super().__init__(expected)
        self.offset = offset
        self.expected = expected
        with file.open() as stream:
            self.line = 1 + sum(block.count(b"\n") for block in _first_bytes(stream, offset))
            self.byte = stream.read(1)[0]


def _decode_blocks(file: SourceFile) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset = 0
    for block in chain(file.blocks(), [b""]):
        if b"\0" in block:
            raise _WrongByte(file, offset + block.index(b"\0"), "text without the character U+0000")
        try:
            yield decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            start = offset + len(block) - len(error.object) + error.start
            raise _WrongByte(file, start, "UTF-8 text (a spreadsheet saves it as CSV UTF-8)") from None
        offset += len(block)


def _first_bytes(stream: BinaryIO, count: int) -> Iterator[bytes]:
    while count > 0 and (block := stream.read(min(count, BLOCK_BYTES))):
        count -= len(block)
        yield block
