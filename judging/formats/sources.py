"""Files as they come in: a name and bytes, and the text in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judging.formats.problems import ProblemLog

MAX_BYTES = 200_000_000


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
    if b"\0" in file.content:
        _add_byte_problem(file, file.content.index(b"\0"), "text without the character U+0000", log)
        return None
    try:
        text = file.content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        _add_byte_problem(file, error.start, "UTF-8 text", log)
        return None
    if not text.strip():
        log.add(file.name, None, "", "the file is empty", "some content")
        return None
    return SourceText(file.name, text)


def _add_byte_problem(file: SourceFile, offset: int, expected: str, log: ProblemLog) -> None:
    line = file.content.count(b"\n", 0, offset) + 1
    log.add(file.name, line, f"byte {offset} of the file", f"0x{file.content[offset]:02x}", expected)
