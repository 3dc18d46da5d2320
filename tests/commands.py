"""What commands print."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.management import call_command


def printed(capsys: pytest.CaptureFixture[str], *command: object) -> str:
    """What a command prints on standard output."""
    call_command(*map(str, command))
    return capsys.readouterr().out


def printed_json(capsys: pytest.CaptureFixture[str], *command: object) -> Any:
    """The JSON document that a command prints, and nothing else on standard output."""
    return json.loads(printed(capsys, *command, "--json"))


def refused(capsys: pytest.CaptureFixture[str], *command: object) -> list[str]:
    """The problems that a command prints on standard error where it refuses its input, with exit status 2."""
    with pytest.raises(SystemExit) as ended:
        call_command(*map(str, command))
    shown = capsys.readouterr()
    assert (ended.value.code, shown.out) == (2, "")
    return shown.err.splitlines()
