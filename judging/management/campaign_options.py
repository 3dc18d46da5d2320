"""Options of commands about campaigns."""

from datetime import datetime
from pathlib import Path

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from evenhand.refusals import Refused
from judging.management.text_files import read_text

NO_DEADLINE = "none"


def read_guidelines(path: Path) -> str:
    return read_text(path, option="guidelines", if_empty="write at least one sentence")


def read_deadline(text: str) -> datetime | None:
    """Read a date and time, in UTC unless it names another zone. Raises Refused for anything else."""
    if text == NO_DEADLINE:
        return None
    try:
        time = parse_datetime(text)
    except ValueError:  # such as 31 February
        time = None
    if time is None:
        raise Refused(f'deadline: "{text}" is not a date and time — write it as 2027-06-30T18:00, or {NO_DEADLINE}')
    return time if timezone.is_aware(time) else timezone.make_aware(time)
