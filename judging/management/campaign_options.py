"""Options of commands about campaigns."""

from datetime import datetime
from pathlib import Path

from evenhand.options import Option
from judging.management.text_files import read_text

NO_DEADLINE = "none"


def read_guidelines(path: Path) -> str:
    return read_text(path, option="guidelines", if_empty="write at least one sentence")


def read_deadline(text: str) -> datetime | None:
    """Read a date and time, in UTC unless it names another zone. Raises Refused for anything else."""
    return None if text == NO_DEADLINE else Option(name="deadline", kind=datetime).read(text)
