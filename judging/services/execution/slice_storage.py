"""Stores a slice while the next one is asked."""

import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from django.db import InterfaceError, OperationalError, connection, connections

logger = logging.getLogger(__name__)

PATIENCE = 30.0
"""Seconds that a slice waits for a database that restarts or whose disk is full. A default lease lasts as long."""
SECONDS_BETWEEN_TRIES = 0.5


class SliceWriter:
    """Stores slices in order, each while the next one is asked. At most one slice waits.

    A thread with its own database connection stores them; the block ends once all are stored. Inside a transaction,
    which that connection could not see, slices are stored before `store` returns.
    """

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None
        self._pending: Future[None] | None = None

    def store(self, writes: Sequence[Callable[[], None]], *, is_last: bool) -> None:
        """Wait for the previous slice, then start to store this one. The last slice is stored before returning.

        Raises the errors of the previous slice, and those of this one if it is stored before returning.
        """
        self._wait()
        if is_last or connection.vendor != "postgresql" or connection.in_atomic_block:
            _call_each(writes)
            return
        self._thread = self._thread or ThreadPoolExecutor(1, thread_name_prefix="slice writer")
        self._pending = self._thread.submit(_call_each, writes)

    def _wait(self) -> None:
        pending, self._pending = self._pending, None
        if pending is not None:
            pending.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._wait()
        except Exception as failure:
            if error is None:
                raise
            logger.warning("a slice is not stored, and will be asked again: %s", failure)  # the caller reports `error`
        finally:
            if self._thread is not None:
                self._thread.submit(connections.close_all)
                self._thread.shutdown()


def _call_each(writes: Sequence[Callable[[], None]]) -> None:
    """Call each write; again, on a new connection, while the database is away. Each must bear a second call."""
    ends_at = time.monotonic() + PATIENCE
    for write in writes:
        while not _is_done(write, may_wait=time.monotonic() < ends_at and not connection.in_atomic_block):
            connection.close()
            time.sleep(SECONDS_BETWEEN_TRIES)


def _is_done(write: Callable[[], None], *, may_wait: bool) -> bool:
    try:
        write()
    except (InterfaceError, OperationalError) as error:
        if not may_wait:
            raise
        logger.warning("a slice waits for the database: %s", error)
        return False
    return True
