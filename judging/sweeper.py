"""The thread in each worker that looks for lost work now and then."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Thread

from django.db import connection

logger = logging.getLogger(__name__)


class Sweeper:
    """Calls `sweep` at once and then every so many seconds, also while the worker's own thread is judging; ends with
    the process."""

    def __init__(self, sweep: Callable[[], None], *, seconds: float) -> None:
        self._sweep = sweep
        self._seconds = seconds
        self._thread = Thread(target=self._run, name="sweeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def _run(self) -> None:
        while True:
            self._sweep_once()
            time.sleep(self._seconds)

    def _sweep_once(self) -> None:
        try:
            self._sweep()
        except Exception:  # a database that is away now is back at a later sweep; without the thread work stays lost
            logger.exception("the search for lost work failed; it is tried again in %g seconds", self._seconds)
        finally:
            connection.close()
