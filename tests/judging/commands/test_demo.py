"""`manage.py demo`, as a newcomer runs it: real processes on a fresh data folder."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import psutil
import pytest

from tests.servers import free_port

ROOT = Path(__file__).resolve().parents[3]
TOLD = re.compile(r"runs at (http://\S+)\n\n.*password\n((?:  \S+ +\S+ +\S.*\n)+)")


@pytest.fixture
def demo(tmp_path):
    """Starts the demo on a data folder of its own; ends what a test leaves running."""
    started = []

    def start() -> tuple[subprocess.Popen, str, dict[str, str]]:
        environment = {**os.environ, "EVENHAND_DATA": str(tmp_path / "data"), "PYTHONUNBUFFERED": "1"}
        for name in ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "SECRET_KEY"):
            environment.pop(name, None)
        command = [sys.executable, "manage.py", "demo", "--port", str(free_port())]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        started.append(process)
        address, rows = read_welcome(process)
        return process, address, {row.split()[0]: row.split(maxsplit=2)[2] for row in rows.splitlines()}

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        process.stdout.close()


def read_welcome(process: subprocess.Popen) -> tuple[str, str]:
    """The address and the table of sign-ins, as printed."""
    printed = ""
    for line in process.stdout:
        printed += line
        if "Ctrl-C" in line:
            return TOLD.search(printed).groups()
    raise AssertionError(f"the demo ended before it said where it runs:\n{printed}")


def sign_in(client: httpx.Client, name: str, password: str) -> httpx.Response:
    form = client.get("/account/sign-in/")
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form.text)[1]
    fields = {"username": name, "password": password, "csrfmiddlewaretoken": token}
    return client.post("/account/sign-in/", data=fields, follow_redirects=True)


def test_demo_prints_sign_ins_that_open_the_site_until_ctrl_c_and_again_at_the_second_start(demo):
    process, address, passwords = demo()
    children = psutil.Process(process.pid).children(recursive=True)

    for role, password in passwords.items():
        with httpx.Client(base_url=address, timeout=60) as client:
            assert "Sign out" in sign_in(client, role, password).text, role
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0
    assert [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE] == []
    _, _, passwords_again = demo()

    assert sorted(passwords) == ["admin", "annotator", "researcher"]
    assert passwords_again == passwords
