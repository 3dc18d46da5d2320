"""Run management commands and read their output."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import call_command


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
