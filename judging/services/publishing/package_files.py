"""Files of a package, with the checksums and sizes that are known once they are written."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

JSON_LINES = "application/jsonlines"


@dataclass(frozen=True, slots=True)
class PackageFile:
    """A file to write. lines: makes its text. columns: of a table, else empty. numbers: its numeric columns."""

    name: str
    description: str
    media_type: str
    lines: Callable[[], Iterable[str]]
    columns: Sequence[str] = ()
    numbers: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that was written. size: bytes."""

    file: PackageFile
    sha256: str
    size: int


def written_bytes(file: PackageFile, written: list[WrittenFile]) -> Iterator[bytes]:
    """Yield the bytes of a file. Appends its checksum and size to `written` at the end."""
    digest, size = hashlib.sha256(), 0
    for line in file.lines():
        part = line.encode("utf-8", "surrogatepass")
        digest.update(part)
        size += len(part)
        yield part
    written.append(WrittenFile(file, digest.hexdigest(), size))


def checksums(written: Sequence[WrittenFile]) -> str:
    """Return the lines that `sha256sum --check` reads."""
    return "".join(f"{one.sha256}  {one.file.name}\n" for one in written)
