"""The processes of a server: web server and workers, their files, and how they are started, watched and stopped."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentTypeError
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import FrameType
from typing import NoReturn

from django.conf import settings
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


COLLECT = (sys.executable, "-m", "django", "collectstatic", "--noinput", "--verbosity", "0")
QUEUES = "default,gpu"
THREADS = 8
SECONDS_BETWEEN_LOOKS = 0.2
WEB_PROCESS = "judging.web.limits.whole_requests.WholeRequestWorker"


def static_variables(port: int) -> dict[str, str]:
    """Return the variables of a web server that serves compressed static files.

    Each server has its own folder, because another one would miss files while they are written again.
    """
    own = settings.DATA_DIR / "static" / f"{socket.gethostname()}-{port}"
    return {"STATIC_ROOT": settings.STATIC_ROOT or str(own)}


def start_compressing_static_files(port: int) -> Child | None:
    """Start to compress them, which takes seconds. Returns None if they are compressed already, as in the image."""
    if settings.STATIC_ROOT:
        return None
    return Child("static-files", COLLECT, os.environ | static_variables(port), logs=settings.DATA_DIR / "logs")


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A program to start.

    arguments: those of Python. malloc_arenas: one for each thread would keep unused memory.
    variables: further variables of its environment. before: a program that starts Python, with its arguments.
    """

    arguments: tuple[str, ...]
    malloc_arenas: int
    variables: dict[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()

    @property
    def command(self) -> list[str]:
        return [*self.before, sys.executable, *self.arguments]

    @property
    def environment(self) -> Mapping[str, str]:
        return {"MALLOC_ARENA_MAX": str(self.malloc_arenas)} | os.environ | self.variables

    def replace_this_process(self) -> NoReturn:
        """Run the program in place of this process, so that signals reach it."""
        os.execvpe(self.command[0], self.command, self.environment)


def port_number(text: str) -> int:
    """Read a port from the command line."""
    if text.isascii() and text.isdigit() and 0 < int(text) < 2**16:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is not a port; give a number from 1 to 65535")


def why_taken(host: str, port: int) -> str:
    """Return why a server cannot listen there; empty if it can."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            return error.strerror or str(error)
    return ""


def web_server(host: str, port: int, *, processes: int = 1, threads: int = THREADS) -> ServerProcess:
    """Return gunicorn, which starts the processes that serve pages and the API."""
    address = ("--bind", f"{host}:{port}")
    size = ("--workers", str(processes), "--threads", str(threads), "--worker-class", WEB_PROCESS)
    quiet = ("--log-level", "warning", "--no-control-socket")
    arguments = ("-m", "gunicorn", "evalsite.wsgi", *address, *size, *quiet)
    settings.TEMPORARY_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    own = {"TMPDIR": str(settings.TEMPORARY_DIR)} | _metrics_variable(f"{socket.gethostname()}-{port}")
    return ServerProcess(arguments, 1, static_variables(port) | own)


def _metrics_variable(name: str) -> dict[str, str]:
    """Empty the folder by which the processes of a web server count together. Returns their variable, if any."""
    if not settings.METRICS_TOKEN:
        return {}
    folder = settings.DATA_DIR / "metrics" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    return {settings.METRICS_FOLDER_VARIABLE: str(folder)}


def worker(queues: str = QUEUES, *, card: str = "") -> ServerProcess:
    """Return a Celery worker. Its pool is solo, because torch does not survive a fork.

    It gives way to pages of the same machine, because a run may keep all processors busy for minutes.
    card: the only GPU that it sees, by its number in the list of nvidia-smi, which CUDA orders otherwise by itself.
    """
    celery = ("-m", "celery", "-A", "evalsite", "--quiet", "worker", "--pool", "solo", "--queues", queues)
    name = ("--hostname", f"gpu{card}@%h") if card else ()
    variables = {"CUDA_VISIBLE_DEVICES": card, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"} if card else {}
    options = ("--loglevel", "INFO", "--without-gossip", "--without-mingle")
    return ServerProcess((*celery, *name, *options), 2, variables, before=("nice", "-n", "10"))


def run_together(servers: Mapping[str, ServerProcess]) -> None:
    """Run programs until somebody stops this process, which ends them all.

    Raises CommandError, with the status of the program, if one ends by itself. The others end too.
    """
    running: dict[str, subprocess.Popen[bytes]] = {}
    ended: dict[str, int] = {}
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    try:
        for name, server in servers.items():
            running[name] = subprocess.Popen(server.command, env=server.environment, start_new_session=True)
        while not ended:
            time.sleep(SECONDS_BETWEEN_LOOKS)
            ended = {name: code for name, one in running.items() if (code := one.poll()) is not None}
    except KeyboardInterrupt:
        pass
    finally:
        _end(running.values())
    for name, code in ended.items():
        status = code if code >= 0 else 128 - code  # as a shell says it
        raise CommandError(f"the {name} ended with status {status}, so the others were ended too", returncode=status)


def interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _end(processes: Iterable[subprocess.Popen[bytes]]) -> None:
    """Ask processes to end, and wait for them. A further signal asks them again."""
    while alive := [one for one in processes if one.poll() is None]:
        for one in alive:
            one.terminate()
        with suppress(KeyboardInterrupt):
            for one in alive:
                one.wait()
