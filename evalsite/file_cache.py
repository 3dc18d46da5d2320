"""The cache of a machine without Redis: files that hold data and no code, for all of its processes."""

from __future__ import annotations

import struct
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import msgpack
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.filebased import FileBasedCache

CULL_EVERY = 50
EXPIRY = struct.Struct("<d")
"""Seconds since 1970, at the start of each file."""


class PlainFileCache(FileBasedCache):
    """Django's cache of files, with MessagePack in place of pickles: writing a file there runs no code here."""

    cache_suffix = ".msgpack"
    stored = 0

    def _cull(self) -> None:
        """Remove files over the bound after every fifty: listing the folder takes longer than writing a file."""
        self.stored += 1
        if self.stored % CULL_EVERY == 0:
            super()._cull()  # type: ignore[misc]

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:  # noqa: ANN401 - Django's
        try:
            with Path(self._key_to_file(key, version)).open("rb") as file:  # type: ignore[attr-defined]
                return default if self._is_expired(file) else msgpack.unpackb(file.read(), strict_map_key=False)
        except (FileNotFoundError, ValueError):  # removed by another process, or not ours
            return default

    def set(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:  # noqa: ANN401
        """Store a value; nothing if the disk takes none, since a cache may forget."""
        with suppress(OSError):
            super().set(key, value, timeout, version)

    def touch(self, key: str, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:  # noqa: ANN401
        """Store a value again, with a new end. Django's own would read it as a pickle."""
        missing = object()
        value = self.get(key, missing, version)
        if value is not missing:
            self.set(key, value, timeout, version)
        return value is not missing

    def delete_pattern(self, pattern: str) -> None:
        """Forget all values, for the pattern "*". The cache in Redis takes others too."""
        self.clear()

    def _write_content(self, file: IO[bytes], timeout: Any, value: Any) -> None:  # noqa: ANN401 - Django's
        expiry = self.get_backend_timeout(DEFAULT_TIMEOUT if timeout is None else timeout)
        file.write(EXPIRY.pack(expiry))
        file.write(msgpack.packb(value))

    def _is_expired(self, file: IO[bytes]) -> bool:
        start = file.read(EXPIRY.size)
        if len(start) == EXPIRY.size and EXPIRY.unpack(start)[0] > time.time():
            return False
        self._delete(file.name)  # type: ignore[attr-defined]
        return True
