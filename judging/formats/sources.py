"""Files as they come in: a name and bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file's name (with or without folders) and its content."""

    name: str
    content: bytes
