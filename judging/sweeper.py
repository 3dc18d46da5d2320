"""Threads in each worker that do something periodically: search for lost work, report, remove what is too old."""

import logging
import time
from collections.abc import Callable
from threading import Thread

from django.db import connection

logger = logging.getLogger(__name__)


class Sweeper:
    """Calls `sweep` at the start and then every `seconds`, also while the worker judges. Ends with the process."""

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
        except Exception:  # the thread must survive, for example, a restart of the database
            logger.exception("periodic work failed; it runs again in %g seconds", self._seconds)
        finally:
            connection.close()
