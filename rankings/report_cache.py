"""The cache of computed figures. A figure is stale when its votes or records changed since (`record_states`)."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache as once
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import TypeVar, cast

from cachetools import LRUCache
from django.core.cache import cache

import evenhand
import rankings
from rankings.record_states import State

CACHE_SECONDS = 24 * 3600
FOLDERS_OF_FORMULAS = [Path(package.__path__[0]) for package in (evenhand, rankings)]
LOADED_AT_ONCE = 128
LARGEST_LOADED = 1 << 18
"""Each process keeps this many values of at most so many pickled bytes. Six rows of a run: 50 kB, 0.3 MB in memory."""
_kept: LRUCache[bytes, object] = LRUCache(LOADED_AT_ONCE)
"""Pickled value -> value. Unpickling takes longer than the rest of a page."""
_lock = Lock()

_apart: ContextVar[str] = ContextVar("keeps the values computed inside `computed_again` apart", default="")

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


@contextmanager
def computed_again() -> Iterator[None]:
    """Compute every value inside once, whatever is cached: a proof must not rest on the cache."""
    token = _apart.set(token_hex())
    try:
        yield
    finally:
        _apart.reset(token)


def cached(what: State, compute: Callable[[], T]) -> T:
    """Return the value cached for `what` by this version of the code; else compute it and cache it for a day."""
    key = _key(what)
    value: T | None = cache.get(key)
    if value is None:
        value = compute()
        cache.set(key, value, CACHE_SECONDS)
    return value


def cached_together(whats: Mapping[K, State], compute: Callable[[Sequence[K]], Mapping[K, T]]) -> dict[K, T]:
    """Return the values cached for each state; the others are computed together, and cached for a day.

    Callers must not modify the values: the next call may return the same objects.
    """
    keys = {name: _key(what) for name, what in whats.items()}
    known = cache.get_many(keys.values())
    missing = [name for name, key in keys.items() if known.get(key) is None]
    computed = compute(missing) if missing else {}
    cache.set_many({keys[name]: _dumped(value) for name, value in computed.items()}, CACHE_SECONDS)
    return {name: computed[name] if name in computed else cast(T, _loaded(known[key])) for name, key in keys.items()}


def _dumped(value: object) -> bytes:
    pickled = pickle.dumps(value)
    _keep(pickled, value)
    return pickled


def _loaded(pickled: bytes) -> object:
    with _lock:
        value = _kept.get(pickled)
    if value is None:
        value = pickle.loads(pickled)
        _keep(pickled, value)
    return value


def _keep(pickled: bytes, value: object) -> None:
    if len(pickled) <= LARGEST_LOADED:
        with _lock:
            _kept[pickled] = value


def _key(what: State) -> str:
    return sha256(repr((code_version(), _apart.get(), what)).encode()).hexdigest()


@once
def code_version() -> str:
    """Return a hash of the code that computes figures."""
    digest = sha256()
    for file in sorted(file for folder in FOLDERS_OF_FORMULAS for file in folder.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
