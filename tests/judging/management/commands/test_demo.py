"""`manage.py demo` with real processes on a new data folder."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import psutil
import pytest
from django.core.management.base import CommandError

from judging.management import server_processes
from judging.management.commands.demo import name_to_open
from judging.management.server_processes import wait_until_open
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint
from tests.judging.workers import wait_until
from tests.servers import free_port

ROOT = Path(__file__).resolve().parents[4]
SLOW = 60.0  # seconds for a page of a busy machine
WELCOME = re.compile(r"runs at (http://\S+)\n\n.*password\n((?:  \S+ +\S+ +\S.*\n)+)")


class Demo:
    """A demo on a data folder of its own, started again whenever it has ended."""

    def __init__(self, data: Path) -> None:
        self._environment = {**os.environ, "EVENHAND_DATA": str(data), "PYTHONUNBUFFERED": "1"}
        for name in ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "SECRET_KEY"):
            self._environment.pop(name, None)
        self._process = None

    def running(self) -> tuple[subprocess.Popen, str, dict[str, str]]:
        """Return the process, its address, and the password of each role."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        return self._process, self._address, self._passwords

    def stop(self) -> int:
        """Interrupt it and return its exit status."""
        self._process.send_signal(signal.SIGINT)
        status = self._process.wait(timeout=SLOW)
        self._process.stdout.close()
        return status

    def _start(self) -> None:
        command = [sys.executable, "manage.py", "demo", "--port", str(free_port())]
        self._process = subprocess.Popen(command, cwd=ROOT, env=self._environment, stdout=subprocess.PIPE, text=True)
        self._address, rows = read_welcome(self._process)
        self._passwords = {row.split()[0]: row.split(maxsplit=2)[2] for row in rows.splitlines()}


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    demo = Demo(tmp_path_factory.mktemp("demo") / "data")
    yield demo
    demo.stop()


def read_welcome(process: subprocess.Popen) -> tuple[str, str]:
    """Read the printed address and the table of sign-ins."""
    printed = ""
    for line in process.stdout:
        printed += line
        if "Ctrl-C" in line:
            return WELCOME.search(printed).groups()
    raise AssertionError(f"the demo ended before it said where it runs:\n{printed}")


def sign_in(client: httpx.Client, name: str, password: str) -> httpx.Response:
    form = client.get("/account/sign-in/")
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form.text)[1]
    fields = {"username": name, "password": password, "csrfmiddlewaretoken": token}
    return client.post("/account/sign-in/", data=fields, follow_redirects=True)


def lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_demo_prints_working_sign_ins_and_prints_them_again_at_the_second_start(demo):
    process, address, passwords = demo.running()
    children = psutil.Process(process.pid).children(recursive=True)

    for role, password in passwords.items():
        with httpx.Client(base_url=address, timeout=SLOW) as client:
            assert "Sign out" in sign_in(client, role, password).text, role
    assert demo.stop() == 0
    wait_until(lambda: not any(map(lives, children)), what="nothing of the demo is left")
    _, _, passwords_again = demo.running()

    assert sorted(passwords) == ["admin", "annotator", "researcher"]
    assert passwords_again == passwords


def test_demo_serves_compressed_files_that_browsers_keep(demo):
    _, address, _ = demo.running()

    with httpx.Client(base_url=address, timeout=SLOW, headers={"Accept-Encoding": "br"}) as client:
        style = re.search(r'href="(/static/css/site[^"]+)"', client.get("/account/sign-in/").text)[1]
        answer = client.get(style)

    assert answer.headers["Content-Encoding"] == "br"
    assert answer.headers["Cache-Control"] == "max-age=315360000, public, immutable"
    assert "font-family" in answer.text


def test_demo_waits_until_a_page_is_served(monkeypatch):
    monkeypatch.setattr(server_processes, "START_WITHIN", 0.1)

    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(CommandError, match="did not answer within"):
        wait_until_open(*silent.getsockname(), [])


def test_demo_counts_a_refused_page_as_served():
    with ServedEndpoint() as served:
        wait_until_open("127.0.0.1", int(served.url.split(":")[2].removesuffix("/v1")), [])


@pytest.mark.parametrize(
    ("host", "allowed", "name"),
    [
        ("127.0.0.1", ["localhost", "127.0.0.1", "[::1]"], "127.0.0.1"),
        ("0.0.0.0", ["localhost", "judges.example.org"], "judges.example.org"),
        ("192.0.2.7", ["*"], "192.0.2.7"),
    ],
)
def test_demo_prints_an_address_in_allowed_hosts(settings, host, allowed, name):
    settings.ALLOWED_HOSTS = allowed

    assert name_to_open(host) == name


def test_demo_refuses_a_host_without_a_name_in_allowed_hosts(settings):
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]

    with pytest.raises(CommandError, match=r"as in ALLOWED_HOSTS=judges.example.org bin/demo --host 0.0.0.0"):
        name_to_open("0.0.0.0")
