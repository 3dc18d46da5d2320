"""Run management commands and read their output."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import BaseCommand, call_command, get_commands, load_command_class

from judging.management.recorded_command import RecordedCommand


def command_named(name: str) -> BaseCommand:
    """Return a command, from its file or its record."""
    found = get_commands()[name]
    return found.loaded() if isinstance(found, RecordedCommand) else load_command_class(found, name)


def command_names() -> list[str]:
    """Return the names of our commands, sorted."""
    own = [name for name, app in get_commands().items() if not isinstance(app, str) or app in ("judging", "rankings")]
    return sorted(own)


def printed(capsys: pytest.CaptureFixture[str], *command: object) -> str:
    """Return the standard output of a command."""
    call_command(*map(str, command))
    return capsys.readouterr().out


def printed_json(capsys: pytest.CaptureFixture[str], *command: object) -> Any:
    """Return the JSON document that a command prints; its standard output holds nothing else."""
    return json.loads(printed(capsys, *command, "--json"))


def refused(capsys: pytest.CaptureFixture[str], *command: object) -> list[str]:
    """Return the lines on standard error of a command that refuses its input with exit status 2."""
    with pytest.raises(SystemExit) as ended:
        call_command(*map(str, command))
    shown = capsys.readouterr()
    assert (ended.value.code, shown.out) == (2, "")
    return shown.err.splitlines()
