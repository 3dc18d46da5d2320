"""Signs of life while a model computes."""

from __future__ import annotations

import logging
from datetime import timedelta
from threading import Event, Thread
from types import TracebackType

from django.db import DatabaseError, connection

from judging.models import Chunk, Hold

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=30)
BEATS_PER_LEASE = 5


class Heartbeat:
    """Extends a lease from a thread of its own, however long one answer (or loading the model) takes.

    Ends with the block, with the process, or when the hold is lost.
    """

    def __init__(self, hold: Hold) -> None:
        self._hold = hold
        self._ended = Event()
        self._thread = Thread(target=self._beat, name=f"heartbeat of chunk {hold.chunk_id}", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _beat(self) -> None:
        try:
            while not self._ended.wait(self._hold.lease.total_seconds() / BEATS_PER_LEASE):
                if not self._extend():
                    return
        finally:
            connection.close()

    def _extend(self) -> bool:
        try:
            return Chunk.objects.extend(self._hold)
        except DatabaseError as error:  # the next beat may come through; if none does, the lease ends, as it should
            logger.warning("no sign of life for chunk %s: %s", self._hold.chunk_id, error)
            return True
