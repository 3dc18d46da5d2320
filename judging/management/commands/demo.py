"""`manage.py demo`: everything on one machine, for a first look and for small studies."""

import os
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from judging.services.demo import Account, prepare_demo

START_WITHIN = 120.0  # seconds until the first page has to be there; a child that ends is told at once
ASK_FOR = 5.0  # seconds that one request for it gets
STOP_WITHIN = 5.0  # seconds that a child gets to end by itself
LAST_LINES = 15
OF_THIS_MACHINE = {"localhost", "127.0.0.1", "[::1]"}
ARENAS = {"web": "1", "worker": "2"}  # with one for each thread a process would keep what it no longer needs


class Command(BaseCommand):
    help = "Prepare the database, load the sample, start the web server and one worker; Ctrl-C stops them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="where others reach it by a name in ALLOWED_HOSTS")
        parser.add_argument("--port", type=int, default=8000, help="the next free one is taken where this one is not")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - Django's signature
        name = name_to_open(options["host"])
        port = free_port(options["host"], options["port"])
        call_command("migrate", verbosity=0)
        accounts = prepare_demo(data=settings.DATA_DIR)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # a shell's background process ignores SIGINT
            signal.signal(number, interrupt)
        children = [Child(name, command) for name, command in commands(options["host"], port).items()]
        try:
            wait_until_open(options["host"], port, children)
            self.welcome(f"http://{name}:{port}/", accounts)
            watch(children)
        except KeyboardInterrupt:
            self.stdout.write("\nStopping …")
        finally:
            stop(children)

    def welcome(self, address: str, accounts: list[Account]) -> None:
        lines = [f"  {account.role:<12}{account.name:<12}{account.password}" for account in accounts]
        self.stdout.write(
            "\n".join(["", f"Evenhand runs at {address}", "", f"  {'role':<12}{'name':<12}password", *lines, ""])
        )
        self.stdout.write(f"Logs are kept in {log_file('web').parent}. Ctrl-C stops it.")
        self.stdout.flush()


class Child:
    """A process of the demo; what it prints goes to a log of its own."""

    def __init__(self, name: str, command: list[str]) -> None:
        self.name, self.log = name, log_file(name)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=os.environ | {"MALLOC_ARENA_MAX": ARENAS[name]},
            )

    def check(self) -> None:
        """Raise if it has ended by itself."""
        if self.process.poll() is not None:
            lines = self.log.read_text(errors="replace").splitlines()[-LAST_LINES:]
            raise CommandError(
                "\n".join(
                    [f"the {self.name} ended with status {self.process.returncode}:", *lines, f"more in {self.log}"]
                )
            )


def log_file(name: str) -> Path:
    return settings.DATA_DIR / "logs" / f"{name}.log"


def interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def commands(host: str, port: int) -> dict[str, list[str]]:
    """The web server and the worker, as command lines."""
    python = sys.executable
    web = ["-m", "gunicorn", "evalsite.wsgi", "--bind", f"{host}:{port}", "--threads", "8", "--log-level", "warning"]
    worker = ["-m", "celery", "-A", "evalsite", "--quiet", "worker", "--pool", "solo", "--queues", "default,gpu"]
    calm = ["--loglevel", "INFO", "--without-gossip", "--without-mingle"]
    return {"web": [python, *web], "worker": [python, *worker, *calm]}


def name_to_open(host: str) -> str:
    """The name for the address bar. Raises CommandError where the site would refuse every name that leads to `host`."""
    allowed = settings.ALLOWED_HOSTS
    if host in allowed or "*" in allowed:
        return host
    names = [name for name in allowed if name not in OF_THIS_MACHINE]
    if names:
        return names[0]
    raise CommandError(
        f"--host {host}: the site answers to no name by which others reach it; give one, "
        f"as in ALLOWED_HOSTS=judges.example.org bin/demo --host {host}"
    )


def free_port(host: str, wanted: int) -> int:
    """`wanted`, or the first free port after it."""
    for port in range(wanted, wanted + 20):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return port
    raise CommandError(f"no free port from {wanted} to {wanted + 19} at {host}; give another with --port")


def wait_until_open(host: str, port: int, children: list[Child]) -> None:
    """Until a page is answered: the port is open sooner, while the web server still loads what answers."""
    deadline = time.monotonic() + START_WITHIN
    while (left := deadline - time.monotonic()) > 0:
        for child in children:
            child.check()
        if answers(host, port, within=min(left, ASK_FOR)):
            return
        time.sleep(0.1)
    raise CommandError(f"the web server did not answer within {START_WITHIN:g} seconds; see {log_file('web')}")


def answers(host: str, port: int, *, within: float) -> bool:
    """Whether the web server answers a request within so many seconds, be it with a refusal."""
    connection = HTTPConnection(host, port, timeout=within)
    try:
        connection.request("HEAD", "/healthz")
        connection.getresponse()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    return True


def watch(children: list[Child]) -> NoReturn:
    """Wait, until a child ends by itself or somebody stops the demo."""
    while True:
        for child in children:
            child.check()
        time.sleep(0.5)


def stop(children: list[Child]) -> None:
    """End the children; one that is in the middle of a comparison is killed: a run goes on from its rows."""
    for child in children:
        child.process.terminate()
    deadline = time.monotonic() + STOP_WITHIN
    for child in children:
        try:
            child.process.wait(timeout=max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(child.process.pid, signal.SIGKILL)  # and its own children, which nobody else would end
            child.process.wait()
