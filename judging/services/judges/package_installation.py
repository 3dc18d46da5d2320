"""The packages that local models and metrics need, and the progress of their installation."""

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from judging.models import Judge

PACKAGES = ("torch", "transformers", "accelerate", "gguf", "sacrebleu", "rouge_score", "nltk")
ADVICE = "add them with: evenhand install_judge"
FAILED = "The installation failed"
LINES_OF_A_FAILURE = 3
STATE_FILE = "installation-of-local-models.json"


@dataclass(frozen=True, slots=True)
class Installation:
    """An installation that is running, or that failed.

    step: its present step, from 1 to steps. doing: the last line of the installer. process: id of the installer.
    error: why it failed; empty while it runs.
    """

    step: int
    steps: int
    doing: str
    process: int
    error: str = ""

    @property
    def is_running(self) -> bool:
        return not self.error


def missing_packages() -> list[str]:
    """Return the missing packages of local models and metrics. Imports none of them."""
    return [name for name in PACKAGES if find_spec(name) is None]


def is_incomplete(data: Path) -> bool:
    """True if packages are missing, or if their installation did not end. data: the data folder."""
    return bool(missing_packages()) or read_installation(data) is not None


def needs_local_packages(judge: Judge) -> bool:
    """True for a judge that computes here: a local model or a metric."""
    return judge.has_weights or judge.is_metric


def installation_for(judge: Judge, *, data: Path) -> Installation | None:
    """Return the installation that a judge waits for; None if it needs none, or if none was begun.

    data: the data folder.
    """
    return read_installation(data) if needs_local_packages(judge) else None


def read_installation(data: Path) -> Installation | None:
    """Return the state of the last installation; None after its end."""
    try:
        installation = Installation(**json.loads((data / STATE_FILE).read_text()))
    except FileNotFoundError:
        return None
    if installation.is_running and not _lives(installation.process):
        return replace(installation, error=f"it was interrupted; {ADVICE}")
    return installation


def write_installation(data: Path, installation: Installation) -> None:
    """Write the state for the other processes, in one step."""
    part = data / f".{STATE_FILE}.part"
    part.write_text(json.dumps(asdict(installation)))
    part.replace(data / STATE_FILE)


def install(steps: Sequence[Sequence[str]], *, data: Path, on_line: Callable[[str], None]) -> str:
    """Install packages. Return why it failed; empty for success.

    steps: the arguments of each call of pip. on_line: called with each line that pip prints.
    """
    for number, arguments in enumerate(steps, start=1):
        state = Installation(number, len(steps), "", os.getpid())
        lines = deque([""], maxlen=LINES_OF_A_FAILURE)
        for line in pip_lines("install", arguments):
            lines.append(line)
            write_installation(data, replace(state, doing=line))
            on_line(line)
        if lines[-1].startswith(FAILED):
            error = " ".join(lines)
            write_installation(data, replace(state, error=f"{error}; {ADVICE}"))
            return error
    (data / STATE_FILE).unlink(missing_ok=True)
    return ""


def pip_lines(command: str, arguments: Sequence[str]) -> Iterator[str]:
    """Yield the lines that pip prints; if it fails, a last line that begins with FAILED."""
    quiet = ("--disable-pip-version-check", "--progress-bar", "off")
    whole = [sys.executable, "-m", "pip", command, *quiet, *arguments]
    with subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as pip:
        yield from (line.strip() for line in pip.stdout or () if not line.startswith("WARNING"))
    if pip.returncode:
        yield f"{FAILED} (pip ended with status {pip.returncode})"


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # a process of another account
        return True
    return True
