"""The commands and files that the pages of docs/ show.

A shell block is run by a test. Its first line may be a comment that says why it is only parsed: "# needs a GPU".
A block that begins with "# needs an endpoint" is run with a fake endpoint.
A block with a title is a file of that name.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from tests.docs_site import ROOT

DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```", re.DOTALL | re.MULTILINE)
ONLY_PARSED = ("# needs ", "# runs until ")
WITH_ENDPOINT = "# needs an endpoint"


@dataclass(frozen=True)
class ShownCommand:
    """A command line without the name of the program. runs: False for a command that is only parsed."""

    words: tuple[str, ...]
    runs: bool

    def at(self, address: str) -> list[str]:
        """Return the words with this address of an endpoint in place of the one that is shown."""
        pairs = zip(("", *self.words), self.words, strict=False)
        return [address if before == "--base-url" else word for before, word in pairs]


def shown_files(page: Path) -> dict[str, str]:
    """Return the contents of each titled block, by file name."""
    return {name: text for _, name, text in BLOCK.findall(page.read_text(encoding="utf-8")) if name}


def shown_commands(page: Path) -> list[ShownCommand]:
    """Return the `evenhand` commands of the shell blocks of a page, in order."""
    blocks = [text for language, _, text in BLOCK.findall(page.read_text(encoding="utf-8")) if language == "sh"]
    return [command for text in blocks for command in commands_of(text)]


def commands_of(block: str) -> list[ShownCommand]:
    """Return the commands of a shell block. A backslash at the end of a line continues it."""
    lines = [shlex.split(line, comments=True) for line in block.replace("\\\n", " ").splitlines()]
    runs = block.startswith(WITH_ENDPOINT) or not block.startswith(ONLY_PARSED)
    return [ShownCommand(tuple(words[1:]), runs) for words in lines if is_evenhand(words)]


def is_evenhand(words: list[str]) -> bool:
    """Return True for a command of Evenhand, also with a path before its name."""
    return len(words) > 1 and Path(words[0]).name == "evenhand" and words[1] != "--version"
