"""A terminal for pictures: runs a command as a person sees it, and writes its screen as a web page."""

from __future__ import annotations

import errno
import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROWS, COLUMNS = 60, 100
CONTROL = re.compile(r"(\r\n|\r|\n|\x1b\[\?25[lh]|\x1b\[2K|\x1b\[\d*A)")
PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #1c1f26; color: #e6e6e6; display: inline-block; }}
pre {{ margin: 16px 20px; font: 14px/1.35 "DejaVu Sans Mono", monospace; }}
.prompt {{ color: #8fd18f; }}
</style><pre><span class="prompt">$ {command}</span>
{screen}</pre>"""


class Screen:
    """The lines that a terminal shows. Knows what progress bars write: line ends, clearing a line, going up."""

    def __init__(self) -> None:
        self.lines, self.row = [""], 0

    def write(self, output: str) -> None:
        """Show further output."""
        for part in CONTROL.split(output):
            if part in ("\n", "\r\n"):
                self.row += 1
                self.lines += [""] * (self.row - len(self.lines) + 1)
            elif part.endswith("A") and CONTROL.fullmatch(part):
                self.row = max(0, self.row - int(part[2:-1] or 1))
            elif part in ("\r", "\x1b[2K"):
                self.lines[self.row] = ""
            elif not CONTROL.fullmatch(part):
                self.lines[self.row] += part

    def __str__(self) -> str:
        return "\n".join(self.lines).rstrip()


def screens_of(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[str]:
    """Run a command in a terminal and yield its screen after each output."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    terminal = dict(environment) | {"TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=terminal, close_fds=True)
    os.close(theirs)
    screen = Screen()
    for output in _outputs(ours):
        screen.write(output)
        yield str(screen)
    os.close(ours)
    process.wait()


def _outputs(terminal: int) -> Iterator[str]:
    """Yield what a terminal receives until its last program ends."""
    while True:
        try:
            output = os.read(terminal, 65536)
        except OSError as error:
            if error.errno == errno.EIO:  # Linux says so when the program has closed the terminal
                return
            raise
        if not output:
            return
        yield output.decode("utf-8", errors="replace")


def write_page(file: Path, command: str, screen: str) -> Path:
    """Write a screen with its colours as a web page."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(screen), end="")
    code = console.export_html(inline_styles=True, code_format="{code}")
    file.write_text(PAGE.format(command=command, screen=code), encoding="utf-8")
    return file
