"""The commands that start the parts of a server."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.commands import refused
from tests.judging.workers import wait_until
from tests.servers import free_port, page_at

ROOT = Path(__file__).resolve().parents[4]


def sign_in_page(port):
    return page_at(f"http://127.0.0.1:{port}/account/sign-in/")


@pytest.mark.slow
def test_servers_that_start_at_once_without_a_broker_prepare_the_database_say_so_and_serve_pages(tmp_path):
    ports = [str(free_port()) for _ in range(2)]
    environment = {**os.environ, "EVENHAND_DATA": str(tmp_path / "data"), "DJANGO_SETTINGS_MODULE": "evalsite.settings"}
    environment |= {"REDIS_URL": "redis://127.0.0.1:1/0", "DATABASE_URL": "", "SECRET_KEY": ""}
    command = [sys.executable, "manage.py", "serve", "--processes", "1", "--port"]
    said, processes = [tmp_path / port for port in ports], []
    for file in said:
        with file.open("w") as errors:
            processes.append(subprocess.Popen([*command, file.name], cwd=ROOT, env=environment, stderr=errors))
    try:
        for port, process in zip(ports, processes, strict=True):
            wait_until(lambda: process.poll() is not None or sign_in_page(port), what="a page is served")  # noqa: B023
        answers = [sign_in_page(port).status_code for port in ports]
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        endings = [process.wait(timeout=60) for process in processes]

    assert (answers, endings) == ([200] * 2, [0] * 2)
    for file in said:
        assert "The message broker cannot be reached: runs wait until it can." in file.read_text()


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
