"""The web server goes on for others while clients send or read slowly, and refuses what is too slow or too large."""

import os
import re
import signal
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import psutil
import pytest
from gunicorn.config import Config
from waitress.adjustments import Adjustments

from judging.management.server_processes import web_server
from judging.web.limits import whole_requests
from tests.judging.workers import wait_until
from tests.servers import free_port, page_at

CLIENTS = 40  # of a server with eight threads
FORM = b"POST /account/sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 21\r\n\r\nusername="
HEADERS = b"GET /account/sign-in/ HTTP/1.1\r\nHost: local"
LARGE_FILE = b"GET /static/plotly/plotly.min.js HTTP/1.1\r\nHost: localhost\r\n\r\n"


def start_server(data):
    """Start the web server on an empty database, and return its process and address."""
    port = free_port()
    server = web_server("127.0.0.1", port, processes=1)
    own = {"EVENHAND_DATA": str(data), "DJANGO_SETTINGS_MODULE": "evalsite.settings"}
    empty = dict.fromkeys(("DATABASE_URL", "SECRET_KEY", "STATIC_ROOT"), "")
    process = subprocess.Popen(server.command, env={**server.environment, **own, **empty, "HTTPS": "1"})
    wait_until(lambda: page_of(("127.0.0.1", port)), what="a page is served")
    return process, ("127.0.0.1", port)


@pytest.fixture(scope="module")
def servers():
    """The servers of this module. One is started at a time."""
    started = []
    yield started
    for process, _ in started:
        process.terminate()
        process.wait(timeout=60)


@pytest.fixture
def server(servers, tmp_path_factory):
    """A web server's process and address: that of the tests before, unless it has ended."""
    if not servers or servers[-1][0].poll() is not None:
        servers.append(start_server(tmp_path_factory.mktemp("data")))
    return servers[-1]


@pytest.fixture
def address(server):
    return server[1]


def page_of(address, **headers):
    return page_at("http://{}:{}/account/sign-in/".format(*address), **headers)


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


def test_a_late_request_is_ended(monkeypatch, tmp_path):
    """By the process of the web server, which here is a thread."""
    monkeypatch.setattr(whole_requests, "REQUEST_SECONDS", 0)
    settings = Config()
    settings.set("worker_tmp_dir", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as thread:
        listener = SimpleNamespace(sock=listening)
        process = whole_requests.WholeRequestWorker(1, os.getppid(), [listener], None, 30, settings, None)
        process.wsgi = {}.get  # it is never called
        done = thread.submit(process.run)
        try:
            with slow_client(listening.getsockname(), HEADERS) as late:
                answer = answer_to(late)
        finally:
            process.alive = False
        done.result()
        process.tmp.close()

    assert answer.startswith(b"HTTP/1.0 408 Request Timeout\r\n")


def test_the_server_replaces_dead_processes_and_finishes_answers(server):
    process, address = server
    killed = psutil.Process(process.pid).children()
    for one in killed:
        one.kill()
    wait_until(lambda: page_of(address), what="other processes serve pages")
    assert {one.pid for one in killed} & {one.pid for one in psutil.Process(process.pid).children()} == set()

    closing = LARGE_FILE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    with slow_client(address, closing, window=2**17) as reader:
        start = reader.recv(100)
        process.send_signal(signal.SIGTERM)
        wait_until(lambda: page_of(address) is None, what="the server listens no more")
        head, _, file = (start + answer_to(reader)).partition(b"\r\n\r\n")

    assert len(file) == int(re.search(rb"Content-Length: (\d+)", head).group(1)) > 1_000_000
    assert process.wait(timeout=60) == 0
