"""The processes of a server: the web server and the workers."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from argparse import ArgumentTypeError
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from django.conf import settings

from judging.management.static_files import static_variables

QUEUES = "default,gpu"
THREADS = 8
WEB_PROCESS = "judging.web.limits.whole_requests.WholeRequestWorker"


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A program to start.

    arguments: those of Python. malloc_arenas: one for each thread would keep unused memory.
    variables: further variables of its environment.
    """

    arguments: tuple[str, ...]
    malloc_arenas: int
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def command(self) -> list[str]:
        return [sys.executable, *self.arguments]

    @property
    def environment(self) -> Mapping[str, str]:
        return {"MALLOC_ARENA_MAX": str(self.malloc_arenas)} | os.environ | self.variables

    def replace_this_process(self) -> NoReturn:
        """Run the program in place of this process, so that signals reach it."""
        os.execve(sys.executable, self.command, self.environment)


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
    return ServerProcess(arguments, 1, static_variables() | own)


def _metrics_variable(name: str) -> dict[str, str]:
    """Empty the folder by which the processes of a web server count together. Returns their variable, if any."""
    if not settings.METRICS_TOKEN:
        return {}
    folder = settings.DATA_DIR / "metrics" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    return {settings.METRICS_FOLDER_VARIABLE: str(folder)}


def worker(queues: str = QUEUES) -> ServerProcess:
    """Return a Celery worker. Its pool is solo, because torch does not survive a fork."""
    celery = ("-m", "celery", "-A", "evalsite", "--quiet", "worker", "--pool", "solo", "--queues", queues)
    return ServerProcess((*celery, "--loglevel", "INFO", "--without-gossip", "--without-mingle"), 2)
