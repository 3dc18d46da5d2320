"""A web server in a process of its own, on this test's database, that can be stopped and started again."""

from __future__ import annotations

import subprocess
from typing import Self

from judging.management.server_processes import web_server
from tests.judging.workers import ROOT, database_url, wait_until
from tests.servers import page_at


class ServedSite:
    """Serve the site on a port, from the start of the `with` block to its end."""

    def __init__(self, port: int) -> None:
        self.address, self._server = f"http://localhost:{port}", web_server("localhost", port)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        own = {"DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "evalsite.settings", "STATIC_ROOT": ""}
        self._process = subprocess.Popen(self._server.command, cwd=ROOT, env={**self._server.environment, **own})
        wait_until(lambda: page_at(f"{self.address}/livez"), what="a page is served")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=60)
            self._process = None
