"""Files that commands read and write."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from judging.exceptions import Refused
from judging.formats import MAX_FILE_BYTES, SourceFile


def read_files(paths: Sequence[Path]) -> list[SourceFile]:
    """The files with their content. Raises Refused with every path that cannot be read."""
    problems = [problem for path in paths for problem in _problems_of_input(path)]
    if problems:
        raise Refused(*problems)
    return [SourceFile(str(path), path.read_bytes()) for path in paths]


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A temporary file beside `path`, to be written to; it takes the name of `path` only when all went well.

    Raises Refused where nothing can be written there.
    """
    if problem := _problem_of_output(path):
        raise Refused(problem)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _problems_of_input(path: Path) -> Iterator[str]:
    if not path.exists():
        yield f"{path}: no such file"
    elif not path.is_file():
        yield f"{path}: not a file — expected a file"
    elif not os.access(path, os.R_OK):
        yield f"{path}: may not be read — expected a file that this user may read"
    elif (size := path.stat().st_size) > MAX_FILE_BYTES:
        yield f"{path}: {size:,} bytes — expected at most {MAX_FILE_BYTES:,} bytes; split the file"


def _problem_of_output(path: Path) -> str:
    if path.is_dir():
        return f"{path}: a folder — expected the name of a file to write"
    if not path.parent.is_dir():
        return f"{path}: no such folder {path.parent}"
    if not os.access(path.parent, os.W_OK):
        return f"{path}: the folder {path.parent} may not be written to"
    return ""
