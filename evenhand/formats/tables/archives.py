"""Unpack ZIP archives: their tables become files of their own."""

import shutil
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from evenhand.file_problems import ProblemLog, list_names
from evenhand.formats.source_files import SourceFile

TABLE_ENDINGS = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx")
MAX_ARCHIVE_FILES = 1_000

# Everything that zipfile raises for a broken, cut or encrypted archive.
BROKEN_ZIP = (
    *(zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, EOFError, OSError),
    *(ValueError, LookupError, OverflowError),
)


def unpack_archives(
    files: Sequence[SourceFile], folder: Path, log: ProblemLog, *, max_bytes: int
) -> Iterator[SourceFile]:
    """Yield each file, with the tables of an archive in its place. They are written to the folder.

    max_bytes: of an archive's tables together, unpacked. Other files of an archive are noted, not read.
    """
    for number, file in enumerate(files):
        if is_archive(file):
            yield from _unpack(file, folder / str(number), log, max_bytes)
        else:
            yield file


def is_archive(file: SourceFile) -> bool:
    """Return True for a ZIP archive that is no XLSX workbook."""
    return file.start().startswith(b"PK\x03\x04") and not is_workbook(file)


def is_workbook(file: SourceFile) -> bool:
    if not file.start().startswith(b"PK\x03\x04"):
        return False
    try:
        with file.open() as stream, zipfile.ZipFile(stream) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except BROKEN_ZIP:
        return False


def is_table_name(name: str) -> bool:
    """Return True for the name of a file to read from an archive or folder. Hidden files are left out."""
    path = PurePosixPath(name)
    return path.suffix.lower() in TABLE_ENDINGS and not any(part.startswith((".", "__MACOSX")) for part in path.parts)


def _unpack(file: SourceFile, folder: Path, log: ProblemLog, max_bytes: int) -> list[SourceFile]:
    try:
        with file.open() as stream, zipfile.ZipFile(stream) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            tables = [member for member in members if is_table_name(member.filename)]
            if _is_good_archive(file.name, tables, log, max_bytes):
                ignored = [member.filename for member in members if member not in tables]
                log.note_ignored_files(file.name, ignored)
                folder.mkdir()
                return [
                    _extract(archive, member, folder / str(position), file.name)
                    for position, member in enumerate(tables)
                ]
    except BROKEN_ZIP as error:
        log.add(file.name, None, "", f"the archive cannot be read: {error}", "a ZIP archive without a password")
    return []


def _is_good_archive(file: str, tables: Sequence[zipfile.ZipInfo], log: ProblemLog, max_bytes: int) -> bool:
    size = sum(member.file_size for member in tables)
    if not tables:
        log.add(file, None, "", "no table in the archive", f"a file that ends in {list_names(TABLE_ENDINGS)}")
    elif len(tables) > MAX_ARCHIVE_FILES:
        log.add(file, None, "", f"{len(tables):,} files in the archive", f"at most {MAX_ARCHIVE_FILES:,}")
    elif size > max_bytes:
        log.add(file, None, "", f"{size:,} bytes unpacked", f"at most {max_bytes:,} bytes; split the archive")
    else:
        return True
    return False


def _extract(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path, file: str) -> SourceFile:
    with archive.open(member) as packed, path.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)  # zipfile reads at most the size that the archive declares
    return SourceFile(f"{file}/{member.filename}", path=path)
