"""The processes that the demo starts, watches and stops."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from django.core.management.base import CommandError

START_WITHIN = 120.0  # seconds until the first page must be served; the end of a child is reported at once
REQUEST_TIMEOUT = 5.0  # seconds of one request for the first page
STOP_WITHIN = 5.0  # seconds until a child that does not end is killed
LOG_LINES_SHOWN = 15


class Child:
    """A process with its own log file. may_end: its end is no failure."""

    def __init__(
        self, name: str, command: Sequence[str], environment: Mapping[str, str], *, logs: Path, may_end: bool = False
    ) -> None:
        self.name, self.log, self._may_end = name, logs / f"{name}.log", may_end
        logs.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, start_new_session=True, env=dict(environment)
            )

    @property
    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def check(self) -> None:
        """Raise CommandError with the end of the log if the process has ended and should not have."""
        if self._may_end or not self.has_ended:
            return
        raise CommandError(self._ending())

    def finish(self) -> None:
        """Wait until the process has ended. Raises CommandError with the end of the log if it failed."""
        if self.process.wait():
            raise CommandError(self._ending())

    def _ending(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()[-LOG_LINES_SHOWN:]
        ending = f"the {self.name} ended with status {self.process.returncode}:"
        return "\n".join([ending, *lines, f"more in {self.log}"])


def wait_until_open(host: str, port: int, children: Sequence[Child]) -> None:
    """Wait until a page is served. The port is open earlier, while the web server still loads the site."""
    deadline = time.monotonic() + START_WITHIN
    while (left := deadline - time.monotonic()) > 0:
        for child in children:
            child.check()
        if _answers(host, port, within=min(left, REQUEST_TIMEOUT)):
            return
        time.sleep(0.1)
    raise CommandError(f"the web server did not answer within {START_WITHIN:g} seconds; its log may say why")


def _answers(host: str, port: int, *, within: float) -> bool:
    """Return True if the web server answers a request, even with a refusal. within: seconds to wait."""
    connection = HTTPConnection(host, port, timeout=within)
    try:
        connection.request("HEAD", "/healthz")
        connection.getresponse()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    return True


def stop(children: Sequence[Child]) -> None:
    """Stop the children. A child in the middle of a comparison is killed; its run continues from the stored rows."""
    for child in children:
        _signal_group(child, signal.SIGTERM)
    deadline = time.monotonic() + STOP_WITHIN
    for child in children:
        try:
            child.process.wait(timeout=max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            _signal_group(child, signal.SIGKILL)
            child.process.wait()


def _signal_group(child: Child, number: signal.Signals) -> None:
    """Send a signal to a child and its own children, which would otherwise stay."""
    with suppress(ProcessLookupError):
        os.killpg(child.process.pid, number)
