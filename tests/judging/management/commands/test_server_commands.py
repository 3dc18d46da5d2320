"""The commands that start the parts of a server."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from django.core.management import CommandError, call_command

from tests.commands import refused
from tests.judging.workers import wait_until
from tests.servers import free_port

ROOT = Path(__file__).resolve().parents[4]


def is_served(client):
    try:
        return client.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.slow
def test_serve_prepares_the_database_and_serves_pages(tmp_path):
    port = str(free_port())
    environment = {**os.environ, "EVENHAND_DATA": str(tmp_path / "data"), "DJANGO_SETTINGS_MODULE": "evalsite.settings"}
    for name in ("DATABASE_URL", "SECRET_KEY"):
        environment.pop(name, None)
    command = [sys.executable, "manage.py", "serve", "--port", port, "--processes", "1"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            wait_until(lambda: is_served(client), what="a page is served")
            page = client.get("/account/sign-in/")
    finally:
        process.send_signal(signal.SIGTERM)
        status = process.wait(timeout=60)

    assert (page.status_code, status) == (200, 0)
    assert "Sign in" in page.text


def test_worker_refuses_a_queue_that_no_run_goes_to(capsys):
    assert refused(capsys, "worker", "--queues", "default,gpus") == [
        'queues: there is no "gpus" (did you mean "gpu"?); there are: default, gpu'
    ]


@pytest.mark.parametrize("command", ["serve", "demo"])
@pytest.mark.parametrize("port", ["99999", "0", "http"])
def test_a_port_that_cannot_be_is_refused(command, port):
    with pytest.raises(CommandError, match=f"argument --port: '{port}' is not a port; give a number from 1 to 65535"):
        call_command(command, "--port", port)


def test_serve_says_that_a_port_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(CommandError, match="Address already in use"):
        call_command("serve", "--port", str(other.getsockname()[1]))
