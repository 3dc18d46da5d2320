"""Files to read: their names, their bytes, and checks of what kind they are."""

import codecs
import hashlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from evenhand.file_problems import ProblemLog

MAX_FILE_BYTES = 1_000 * 2**20
GZIP_SIGNATURE = b"\x1f\x8b"
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


def total_size(files: Iterable[SourceFile]) -> int:
    """Return the bytes of all files."""
    return sum(file.size for file in files)


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
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset, line, is_empty = 0, 1, True
    for block in chain(file.blocks(), [b""]):  # to the end, because any byte may be wrong
        try:
            is_empty = not _decode(block, decoder).strip().strip("\ufeff") and is_empty
        except UnicodeDecodeError as error:
            held = len(error.object) - len(block)  # the start of a character, from the block before
            line, byte = line + error.object.count(b"\n", 0, error.start), error.object[error.start]
            expected = (
                "UTF-8 text (a spreadsheet saves it as CSV UTF-8)" if byte else "text without the character U+0000"
            )
            log.add(file.name, line, f"byte {offset - held + error.start} of the file", f"0x{byte:02x}", expected)
            return False
        offset, line = offset + len(block), line + block.count(b"\n")
    if is_empty:
        log.add(file.name, None, "", "the file is empty", "some content")
    return not is_empty


def name_binary_kind(start: bytes) -> str:
    """Name the kind of a binary or UTF-16 file by its first bytes. Return "" for a text with a few wrong bytes."""
    if start.startswith(UTF16_BYTE_ORDER_MARKS):
        return "text in UTF-16"
    if b"\0" not in start:
        return ""
    if start.startswith(GZIP_SIGNATURE):
        return "a gzip file, which is binary"
    is_binary = len(CONTROL_BYTES.intersection(start)) > 1  # one kind may be an accident
    return "a binary file" if is_binary else ""


def _decode(block: bytes, decoder: codecs.IncrementalDecoder) -> str:
    """Return the text of a block. Raises UnicodeDecodeError for a byte that a text may not have."""
    if (position := block.find(b"\0")) >= 0:
        raise UnicodeDecodeError("utf-8", block, position, position + 1, "no text")
    return decoder.decode(block, final=not block)
