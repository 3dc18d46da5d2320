"""The options of commands that leave systems and contexts out."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from judging.models import Exclusion


def add_exclusion_arguments(parser: CommandParser) -> None:
    """Add `--without-system` and `--without-context`."""
    for noun, metavar in (("system", "NAME"), ("context", "ID")):
        parser.add_argument(
            f"--without-{noun}",
            action="extend",
            nargs="+",
            default=[],
            metavar=metavar,
            help=f"leave out these {noun}s, as if the dataset lacked them; may be repeated (default: none)",
        )


def read_exclusion(options: dict[str, Any]) -> Exclusion:
    """Return the exclusion that the options name."""
    return Exclusion.of(systems=options["without_system"], contexts=options["without_context"])
