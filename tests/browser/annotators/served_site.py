"""A web server in a process of its own, on this test's database, that can be stopped and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Self

import httpx

from tests.judging.workers import ROOT, database_url, wait_until


class ServedSite:
    """Serve the site on a port, from the start of the `with` block to its end."""

    def __init__(self, port: int) -> None:
        self.address, self._port = f"http://localhost:{port}", port
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        command = [sys.executable, "manage.py", "serve", "--host", "localhost", "--port", str(self._port)]
        environment = os.environ | {"DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "evalsite.settings"}
        self._process = subprocess.Popen([*command, "--processes", "1"], cwd=ROOT, env=environment)
        wait_until(self._is_served, what="a page is served")

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(timeout=60)
            self._process = None

    def _is_served(self) -> bool:
        try:
            return httpx.get(f"{self.address}/healthz", timeout=60).status_code == 200
        except httpx.TransportError:
            return False
