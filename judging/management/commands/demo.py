"""`manage.py demo`: everything on one machine, for a first look and for small studies."""

import signal
import socket
import subprocess
import sys
import time
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from judging.services.demo import Account, prepare_demo

STOP_AFTER = 5.0  # seconds that a child gets to end by itself


class Command(BaseCommand):
    help = "Prepare the database, load the sample, start the web server and one worker; Ctrl-C stops them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000, help="the next free one is taken where this one is not")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - Django's signature
        port = free_port(options["host"], options["port"])
        call_command("migrate", verbosity=0)
        accounts = prepare_demo(data=settings.DATA_DIR)
        signal.signal(signal.SIGTERM, interrupt)
        signal.signal(signal.SIGHUP, interrupt)
        children = [subprocess.Popen(command, start_new_session=True) for command in commands(options["host"], port)]
        try:
            wait_until_open(options["host"], port, children)
            self.welcome(f"http://{options['host']}:{port}/", accounts)
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
        self.stdout.write("Ctrl-C stops it.")
        self.stdout.flush()


def interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def commands(host: str, port: int) -> list[list[str]]:
    """The web server and the worker, as command lines."""
    python = sys.executable
    web = ["-m", "gunicorn", "evalsite.wsgi", "--bind", f"{host}:{port}", "--threads", "8", "--log-level", "warning"]
    worker = ["-m", "celery", "-A", "evalsite", "worker", "--pool", "solo", "--queues", "default,gpu"]
    quiet = ["--loglevel", "WARNING", "--without-gossip", "--without-mingle"]
    return [[python, *web], [python, *worker, *quiet]]


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


def wait_until_open(host: str, port: int, children: list[subprocess.Popen[bytes]]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        check(children)
        try:
            socket.create_connection((host, port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise CommandError("the web server did not answer within a minute; its last lines stand above")


def watch(children: list[subprocess.Popen[bytes]]) -> None:
    """Return never; raise when a child ends by itself."""
    while True:
        check(children)
        time.sleep(0.5)


def check(children: list[subprocess.Popen[bytes]]) -> None:
    for child in children:
        if child.poll() is not None:
            name = child.args[2] if isinstance(child.args, list) else child.args
            raise CommandError(f"{name} ended with status {child.returncode}; its last lines stand above")


def stop(children: list[subprocess.Popen[bytes]]) -> None:
    """End the children; one that is in the middle of a comparison is killed: a run goes on from its rows."""
    for child in children:
        child.terminate()
    deadline = time.monotonic() + STOP_AFTER
    for child in children:
        try:
            child.wait(timeout=max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
