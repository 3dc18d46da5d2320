"""The page docs/reference/commands.md, made from the commands' own help.

`python -m tests.docs.command_reference` writes it again.
"""

import os
import re
import textwrap
from collections.abc import Iterator
from unittest.mock import patch

from evalsite.command_list import COMMANDS
from tests.commands import command_named
from tests.docs.shown_commands import DOCS

PAGE = DOCS / "reference" / "commands.md"
COLUMNS = 88  # characters in a line of help
INTRODUCTION = """# Commands

This page is made from the help of the commands: `evenhand COMMAND --help` prints the same, perhaps with other line ends
in its usage. In a checkout the program is `.venv/bin/evenhand`. A command ends with status 0 when it is done, 2 for bad
input, and 1 for anything else.
"""


def command_reference() -> str:
    """Return the text of the page."""
    with patch.dict(os.environ, {"COLUMNS": str(COLUMNS)}):
        return "\n".join([INTRODUCTION, *sections()])


def sections() -> Iterator[str]:
    """Yield the text of each group and command."""
    for group, commands in COMMANDS.items():
        yield f"## {group.capitalize()}\n"
        yield from (section(name, summary) for name, summary in commands.items())


def section(name: str, summary: str) -> str:
    """Return the heading, the summary and the help of a command."""
    parser = command_named(name).create_parser("evenhand", name)
    usage, *rest = parser.format_help().split("\n\n")
    help_lines = "\n".join(line.rstrip() for line in "\n\n".join([wrapped(usage), *rest]).splitlines())
    return f"### {name}\n\n{summary[0].upper()}{summary[1:]}.\n\n```text\n{help_lines}\n```\n"


def wrapped(usage: str) -> str:
    """Break a usage into lines, with an option and its value on one. Each version of argparse breaks it elsewhere."""
    whole = re.sub(r"(?<=\w) (?=[A-Z{])| (?=\.\.\.|\[[A-Z])", "\0", " ".join(usage.split()))
    indent = " " * len(re.match(r"Usage: \w+ \w+ ", whole)[0])
    lines = textwrap.wrap(whole, COLUMNS - 2, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    PAGE.write_text(command_reference(), encoding="utf-8")
