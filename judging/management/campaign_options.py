"""Options of commands about campaigns."""

from pathlib import Path

from judging.management.text_files import read_text


def read_guidelines(path: Path) -> str:
    return read_text(path, option="guidelines", if_empty="write at least one sentence")
