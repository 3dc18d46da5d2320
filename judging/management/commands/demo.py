"""`demo`: run the web server and a worker on one machine, for a first look and for small studies."""

import os
import signal
import sys
import time
from collections.abc import Sequence
from typing import Any, NoReturn

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from rich.console import Console
from rich.text import Text

from judging import tasks
from judging.management.evenhand_command import EvenhandCommand
from judging.management.server_processes import (
    Child,
    ServerProcess,
    interrupt,
    port_number,
    start_compressing_static_files,
    stop,
    wait_until_open,
    web_server,
    why_taken,
    worker,
)
from judging.services.demo import Account, prepare_demo
from judging.services.judges.package_installation import Installation, is_incomplete, read_installation

LOCAL_NAMES = {"localhost", "127.0.0.1", "[::1]"}
RETRY_SECONDS = 0.5
PORTS_TRIED = 20


class Command(EvenhandCommand):
    help = (
        "Prepare the database, load the sample with its recorded runs, start the web server and one worker. "
        "What local models need is installed meanwhile. Ctrl-C stops everything."
    )
    examples = ("demo", "demo --host 0.0.0.0 --port 8080")
    takes_json = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument(
            "--port",
            type=port_number,
            default=8000,
            metavar="PORT",
            help="port to listen on; if it is taken, the next free port is used",
        )
        parser.add_argument("--no-install", action="store_true", help="do not install what local models need")

    def run(self, options: dict[str, Any]) -> None:
        name = name_to_open(options["host"])
        port = free_port(options["host"], options["port"])
        compressing = start_compressing_static_files(port)
        call_command("migrate", verbosity=0)
        accounts = prepare_demo(data=settings.DATA_DIR)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # a shell's background process ignores SIGINT
            signal.signal(number, interrupt)
        if compressing:
            compressing.finish()
        servers = {"web": web_server(options["host"], port), "worker": worker()}
        children = [start(name, server) for name, server in servers.items()]
        try:
            wait_until_open(options["host"], port, children)
            self.welcome(f"http://{name}:{port}/", accounts)
            if is_incomplete(settings.DATA_DIR) and not options["no_install"]:
                children.append(install_judge())
                self.follow_installation(children)
            self.watch(children)
        except KeyboardInterrupt:
            self.stdout.write("\nStopping …")
        finally:
            stop(children)

    def welcome(self, address: str, accounts: Sequence[Account]) -> None:
        lines = [f"  {account.role:<12}{account.name:<12}{account.password}" for account in accounts]
        self.stdout.write(
            "\n".join(["", f"Evenhand runs at {address}", "", f"  {'role':<12}{'name':<12}password", *lines, ""])
        )
        self.stdout.write("A small real LLM: as admin, Judges → Add a judge → Install smollm2.")
        self.stdout.write(f"Logs are kept in {settings.DATA_DIR / 'logs'}. Ctrl-C stops it.")
        self.stdout.flush()

    def follow_installation(self, children: Sequence[Child]) -> None:
        """Show the progress of the installation, which is the last child, until it ends."""
        self.stdout.write("\nThe local judge is being installed. Everything else works already.")
        self.stdout.flush()
        console, step = Console(), 0
        with console.status("Local judge: starting") as status:
            while not children[-1].has_ended:
                check(children)
                if installation := read_installation(settings.DATA_DIR):
                    status.update(Text(describe_installation(installation)))
                    if installation.step != step and not console.is_interactive:
                        self.stdout.write(describe_installation(installation))
                        self.stdout.flush()
                    step = installation.step
                time.sleep(RETRY_SECONDS)
        failed = read_installation(settings.DATA_DIR)
        self.stdout.write(describe_installation(failed) if failed else "The local judge is ready.")
        self.stdout.flush()
        tasks.sweep.delay()  # sends the runs that waited

    def watch(self, children: Sequence[Child]) -> NoReturn:
        """Wait until a child fails or somebody stops the demo."""
        while True:
            check(children)
            time.sleep(RETRY_SECONDS)


def check(children: Sequence[Child]) -> None:
    for child in children:
        child.check()


def describe_installation(installation: Installation) -> str:
    """Describe the progress or the failure of the installation on one line."""
    if installation.error:
        return f"The local judge could not be installed: {installation.error}"
    return f"Local judge: step {installation.step} of {installation.steps}: {installation.doing}"


def install_judge() -> Child:
    """Start the installation of what local models need, and return its process."""
    command = [sys.executable, "-m", "django", "install_judge"]
    return Child("install", command, os.environ, logs=settings.DATA_DIR / "logs", may_end=True)


def start(name: str, server: ServerProcess) -> Child:
    return Child(name, server.command, server.environment, logs=settings.DATA_DIR / "logs")


def name_to_open(host: str) -> str:
    """Return the host name of the address to open. Raises CommandError if ALLOWED_HOSTS has no name for `host`."""
    allowed = settings.ALLOWED_HOSTS
    if host in allowed or "*" in allowed:
        return host
    names = [name for name in allowed if name not in LOCAL_NAMES]
    if names:
        return names[0]
    raise CommandError(
        f"--host {host}: ALLOWED_HOSTS has no name by which others reach the site; give one, "
        f"as in ALLOWED_HOSTS=judges.example.org bin/demo --host {host}"
    )


def free_port(host: str, wanted: int) -> int:
    """Return `wanted`, or the first free port after it."""
    for port in range(wanted, min(wanted + PORTS_TRIED, 2**16)):
        if not (reason := why_taken(host, port)):
            return port
    raise CommandError(f"no free port from {wanted} at {host} ({reason}); give another with --port")
