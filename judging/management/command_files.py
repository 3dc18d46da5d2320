"""Files that commands read and write: tables, texts and passwords."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from evenhand.formats import MAX_FILE_BYTES, SourceFile, is_table_name
from evenhand.refusals import Refused, raise_if_any


def read_text(path: Path, *, option: str, if_empty: str) -> str:
    """Read a text file in UTF-8. Raises Refused if it cannot be read, or is empty.

    option: whose value it is. if_empty: the advice for an empty file.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{option}: {path} cannot be read as UTF-8 text: {error}") from error
    if not text.strip():
        raise Refused(f"{option}: {path} is empty — {if_empty}")
    return text


def read_password(path: Path | None) -> str:
    """Read the first line of a file; "" without one."""
    return "" if path is None else read_text(path, option="password-file", if_empty="give a password").split("\n")[0]


def find_ignored_files(paths: Sequence[Path]) -> list[str]:
    """Return the files in folders that `read_source_files` does not read."""
    folders = [path for path in paths if path.is_dir()]
    return [str(folder / name) for folder in folders for name in _files_in(folder) if not is_table_name(name)]


def read_source_files(paths: Sequence[Path]) -> list[SourceFile]:
    """Return the files, and the tables in folders. Raises Refused with every path that cannot be read."""
    paths = [file for path in paths for file in (_tables_in(path) if path.is_dir() else [path])]
    problems = [problem for path in paths for problem in _input_problems(path)]
    raise_if_any(problems)
    return [SourceFile(str(path), path=path) for path in paths]


@contextmanager
def replace_when_complete(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file to write. It replaces `path` only if no error occurs.

    Raises Refused if no file can be written at `path`.
    """
    if problem := _output_problem(path):
        raise Refused(problem)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _tables_in(folder: Path) -> list[Path]:
    """Return the tables in a folder and its folders. Without any, return the folder itself, which is then refused."""
    return [folder / name for name in _files_in(folder) if is_table_name(name)] or [folder]


def _files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def _input_problems(path: Path) -> Iterator[str]:
    if not path.exists():
        yield f"{path}: no such file"
    elif not path.is_file():
        yield f"{path}: no file to read — expected a file, or a folder of CSV, JSON, Parquet or XLSX files"
    elif not os.access(path, os.R_OK):
        yield f"{path}: may not be read — expected a file that this user may read"
    elif (size := path.stat().st_size) > MAX_FILE_BYTES:
        yield f"{path}: {size:,} bytes — expected at most {MAX_FILE_BYTES:,} bytes; split the file"


def _output_problem(path: Path) -> str:
    if path.is_dir():
        return f"{path}: a folder — expected the name of a file to write"
    if not path.parent.is_dir():
        return f"{path}: no such folder {path.parent}"
    if not os.access(path.parent, os.W_OK):
        return f"{path}: the folder {path.parent} may not be written to"
    return ""
