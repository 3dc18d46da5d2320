"""The web server goes on for others while clients send or read slowly, and refuses what is too slow or too large."""

import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import httpx
import psutil
import pytest
from waitress.adjustments import Adjustments

from judging.management.server_processes import web_server
from judging.web.limits import whole_requests
from tests.judging.workers import wait_until
from tests.servers import free_port

CLIENTS = 40  # of a server with eight threads
FORM = b"POST /account/sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 21\r\n\r\nusername="
HEADERS = b"GET /account/sign-in/ HTTP/1.1\r\nHost: local"
LARGE_FILE = b"GET /static/plotly/plotly.min.js HTTP/1.1\r\nHost: localhost\r\n\r\n"


IMPATIENT = """
from gunicorn.app.wsgiapp import run
from judging.web.limits import whole_requests

whole_requests.REQUEST_SECONDS = 1
run()
"""


@contextmanager
def served(folder, *program):
    """Start the web server on an empty database, and yield its process and address. Stops it at the end."""
    server = web_server("127.0.0.1", port := free_port(), processes=1)
    own = {"EVENHAND_DATA": str(folder), "HTTPS": "1", "DJANGO_SETTINGS_MODULE": "evalsite.settings"}
    empty = dict.fromkeys(("DATABASE_URL", "SECRET_KEY", "STATIC_ROOT"), "")
    command = [sys.executable, *(program or server.arguments[:2]), *server.arguments[2:]]
    process = subprocess.Popen(command, env={**server.environment, **own, **empty})
    try:
        wait_until(lambda: page_of(("127.0.0.1", port)), what="a page is served")
        yield process, ("127.0.0.1", port)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with served(tmp_path_factory.mktemp("data")) as (_, address):
        yield address


def page_of(address, **headers):
    """Return the answer to a request for a page; None if nobody answers."""
    try:
        return httpx.get("http://{}:{}/account/sign-in/".format(*address), headers=headers, timeout=60)
    except httpx.TransportError:
        return None


def slow_client(address, sent, *, window=2**12):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    client.connect(address)
    client.settimeout(60)
    client.sendall(sent)
    return client


def answer_to(client):
    """Read until the server closes the connection."""
    return b"".join(iter(lambda: client.recv(2**16), b""))


@pytest.mark.parametrize(
    ("sent", "rest", "answer"),
    [
        (FORM, b"x&password=y", b"HTTP/1.1 403 "),
        (HEADERS, b"host\r\nConnection: close\r\n\r\n", b"HTTP/1.1 200 "),
        (LARGE_FILE, b"", b"HTTP/1.1 200 "),
    ],
    ids=["half forms", "half headers", "slow readers"],
)
def test_a_page_is_answered_while_many_clients_are_slow(address, sent, rest, answer):
    clients = [slow_client(address, sent) for _ in range(CLIENTS)]

    page = page_of(address)

    assert (page.status_code, "Sign in" in page.text) == (200, True)
    for client in clients:
        client.sendall(rest)
        assert client.recv(13) == answer
        client.close()


def test_answers_name_no_program_and_no_version(address):
    assert {"server", "via"} & page_of(address).headers.keys() == set()


def test_what_a_proxy_says_reaches_the_site(address):
    secure, plain = page_of(address, **{"X-Forwarded-Proto": "https"}), page_of(address)

    assert "strict-transport-security" in secure.headers
    assert "strict-transport-security" not in plain.headers


def test_a_large_body_without_an_account_is_refused_before_it_arrives(address):
    with slow_client(address, FORM.replace(b" 21\r\n", b" 7000000\r\nExpect: 100-continue\r\n")) as client:
        answer = answer_to(client)

    assert answer.startswith(b"HTTP/1.1 413 Request Entity Too Large\r\n")
    assert b"7000000 bytes; without an account at most 6291456 are accepted" in answer


@pytest.mark.parametrize("size", ["Content-Length: 7000000", "Transfer-Encoding: chunked"])
def test_a_large_body_that_the_disk_cannot_hold_is_refused_while_it_arrives(monkeypatch, size):
    monkeypatch.setattr(whole_requests, "free_space", lambda: 20_000_000)
    request = whole_requests.ArrivingRequest(Adjustments())
    head = f"POST /api/datasets/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token x\r\n{size}\r\n\r\n".encode()

    request.received(head)
    if request.chunked:
        request.received(b"6acfc0\r\n" + b"x" * 6_999_999)
    request.close()

    assert (request.completed, request.error.code) == (True, 507)


def test_the_server_ends_late_requests_replaces_dead_processes_and_finishes_answers(tmp_path):
    with served(tmp_path, "-c", IMPATIENT) as (server, address):
        with slow_client(address, HEADERS) as late:
            assert answer_to(late).startswith(b"HTTP/1.0 408 Request Timeout\r\n")

        killed = psutil.Process(server.pid).children()
        for process in killed:
            process.kill()
        wait_until(lambda: page_of(address), what="other processes serve pages")
        assert {process.pid for process in killed} & {one.pid for one in psutil.Process(server.pid).children()} == set()

        closing = LARGE_FILE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        with slow_client(address, closing, window=2**17) as reader:
            start = reader.recv(100)
            server.send_signal(signal.SIGTERM)
            wait_until(lambda: page_of(address) is None, what="the server listens no more")
            head, _, file = (start + answer_to(reader)).partition(b"\r\n\r\n")

    assert len(file) == int(re.search(rb"Content-Length: (\d+)", head).group(1)) > 1_000_000
    assert server.returncode == 0
