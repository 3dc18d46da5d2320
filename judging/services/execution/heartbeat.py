"""Extends a chunk's lease while a model computes."""

from __future__ import annotations

import logging
from datetime import timedelta
from threading import Event, Thread
from types import TracebackType

from django.db import DatabaseError, connection

from judging.models import Chunk, Lease

logger = logging.getLogger(__name__)

LEASE_DURATION = timedelta(seconds=30)
BEATS_PER_LEASE = 5


class Heartbeat:
    """Extends a lease from its own thread, however long one answer or loading the model takes.

    Ends with the block, with the process, or when the lease is lost.
    """

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._ended = Event()
        self._thread = Thread(target=self._beat, name=f"heartbeat of chunk {lease.chunk_id}", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _beat(self) -> None:
        try:
            while not self._ended.wait(self._lease.duration.total_seconds() / BEATS_PER_LEASE):
                if not self._extend():
                    return
        finally:
            connection.close()

    def _extend(self) -> bool:
        try:
            return Chunk.objects.extend(self._lease)
        except DatabaseError as error:  # a later heartbeat may succeed; if none does, the lease expires
            logger.warning("cannot extend the lease of chunk %s: %s", self._lease.chunk_id, error)
            return True
