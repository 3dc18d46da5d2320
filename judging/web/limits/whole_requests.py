"""The processes of the web server: a thread takes a request once it has arrived whole, and never waits for a reader.

gunicorn starts, replaces and stops them. In each, waitress reads requests and sends answers in one loop, and keeps
what is large in temporary files.
"""

import os
import resource
import time

from django.conf import settings
from gunicorn.workers.base import Worker
from waitress import create_server, wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.utilities import Error, RequestEntityTooLarge

from judging.web.limits.refused_bodies import COPIES, FORM_OVERHEAD, free_space

REQUEST_IN_MEMORY, ANSWER_IN_MEMORY = 2**16, 2**20
"""Bytes above which they are kept in files."""
WAITING = 2**28
"""Bytes of an answer that may wait for a slow reader."""
LONGEST_HEADERS = 2**16
REQUEST_SECONDS = 30
"""Seconds in which a request must arrive, and one more for each SLOWEST bytes that did."""
SLOWEST = 4_096
SILENT_SECONDS = 60
"""Seconds without a byte until a connection is closed, in either direction."""
CONNECTIONS = 2_000


class TooSlow(Error):
    code, reason = 408, "Request Timeout"


class NoSpaceLeft(Error):
    code, reason = 507, "Insufficient Storage"


class ArrivingRequest(HTTPRequestParser):
    """A request that may still lack a part. A large body needs an account, and space on the disk."""

    error: Error | None

    def __init__(self, adj: object) -> None:
        super().__init__(adj)
        self.started = time.monotonic()

    def received(self, data: bytes) -> int:
        consumed: int = super().received(data)
        if self.error is None and self.body_rcv is not None and (refusal := self.refusal()):
            self.error, self.completed, self.expect_continue = refusal, True, False
        return consumed

    def refusal(self) -> Error | None:
        size = max(self.content_length, self.body_bytes_received)
        small = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + FORM_OVERHEAD
        if size > small and not self.headers.keys() & {"COOKIE", "AUTHORIZATION"}:
            return RequestEntityTooLarge(f"{size} bytes; without an account at most {small} are accepted")
        if size > REQUEST_IN_MEMORY and COPIES * size - self.body_bytes_received > free_space():
            return NoSpaceLeft(f"the server has too little free space for {size} bytes")
        return None

    @property
    def is_late(self) -> bool:
        arrived = self.header_bytes_received + self.body_bytes_received
        return time.monotonic() - self.started > REQUEST_SECONDS + arrived / SLOWEST


class ClientConnection(HTTPChannel):
    """A connection of waitress that ends when its client is too slow."""

    parser_class = ArrivingRequest
    request: ArrivingRequest | None
    requests: list[ArrivingRequest]

    @property
    def is_busy(self) -> bool:
        return bool(self.requests or self.total_outbufs_len)

    def end_if_slow(self) -> None:
        if self.total_outbufs_len and time.time() - self.last_activity > SILENT_SECONDS:
            self.will_close = True
        with self.requests_lock:
            if self.request is not None and not self.requests and self.request.is_late:
                self.request.error = TooSlow(f"a request must arrive within {REQUEST_SECONDS} s, a large one in more")
                self.requests, self.request = [self.request], None
                self.server.add_task(self)


class WholeRequestWorker(Worker):
    """A process that answers whole requests in threads, until gunicorn stops it."""

    next_look = 0.0

    def run(self) -> None:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        self.server = create_server(
            self.wsgi,
            map={},
            sockets=[listener.sock for listener in self.sockets],
            threads=self.cfg.threads,
            ident=None,
            clear_untrusted_proxy_headers=False,  # PROXY_COUNT says which are true
            channel_timeout=SILENT_SECONDS,
            connection_limit=CONNECTIONS,
            log_socket_errors=False,
            inbuf_overflow=REQUEST_IN_MEMORY,
            outbuf_overflow=ANSWER_IN_MEMORY,
            outbuf_high_watermark=WAITING,
            recv_bytes=2**17,
            max_request_header_size=LONGEST_HEADERS,
            max_request_body_size=settings.MAX_UPLOAD_BYTES + FORM_OVERHEAD,
        )
        self.server.channel_class = ClientConnection
        while self.alive and self.ppid == os.getppid():
            self.serve()
        self.finish()

    def serve(self) -> None:
        """Read and send what can be, and look for slow clients once a second."""
        self.notify()
        wasyncore.loop(timeout=1, use_poll=True, map=self.server._map, count=1)
        if time.monotonic() > self.next_look:
            self.next_look = time.monotonic() + 1
            for connection in list(self.server.active_channels.values()):
                connection.end_if_slow()

    def finish(self) -> None:
        """Listen no more, and answer what has arrived, for at most the time that gunicorn leaves."""
        wasyncore.dispatcher.close(self.server)
        end = time.monotonic() + self.cfg.graceful_timeout
        while time.monotonic() < end and any(one.is_busy for one in self.server.active_channels.values()):
            self.serve()
