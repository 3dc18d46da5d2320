"""The cache of computed figures. A figure is stale when its votes or records changed since (`record_states`)."""

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
from rankings.cache_bytes import packed, unpacked
from rankings.record_states import State

CACHE_SECONDS = 24 * 3600
FOLDERS_OF_FORMULAS = [Path(package.__path__[0]) for package in (evenhand, rankings)]
LOADED_AT_ONCE = 512
LARGEST_LOADED = 1 << 18
"""Each process keeps this many values of at most so many bytes. Six rows of a run: 50 kB, 0.3 MB in memory."""
_kept: LRUCache[str, object] = LRUCache(LOADED_AT_ONCE)
"""Key in the cache -> value. Making the value of its bytes takes longer than the rest of a page."""
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
    """Return the value cached for `what` by this version of the code; else compute it and cache it for a day.

    Callers must not modify the value: the next call may return the same object.
    """
    return cached_together({None: what}, lambda _: {None: compute()})[None]


def cached_together(whats: Mapping[K, State], compute: Callable[[Sequence[K]], Mapping[K, T]]) -> dict[K, T]:
    """Return the values cached for each state; the others are computed together, and cached for a day.

    Callers must not modify the values: the next call may return the same objects.
    """
    keys = {name: _key(what) for name, what in whats.items()}
    known = _known(list(keys.values()))
    missing = [name for name, key in keys.items() if key not in known]
    computed = compute(missing) if missing else {}
    cache.set_many({keys[name]: _dumped(keys[name], value) for name, value in computed.items()}, CACHE_SECONDS)
    return {name: computed[name] if name in computed else cast(T, known[key]) for name, key in keys.items()}


def forget_figures() -> None:
    """Empty the cache, and what this process keeps of it."""
    cache.clear()
    with _lock:
        _kept.clear()


def _known(keys: Sequence[str]) -> dict[str, object]:
    """Return the values of those keys that this process or the cache has."""
    with _lock:
        known = {key: _kept[key] for key in keys if key in _kept}
    if others := [key for key in keys if key not in known]:
        known |= {key: _loaded(key, data) for key, data in cache.get_many(others).items()}
    return known


def _dumped(key: str, value: object) -> bytes:
    data = packed(value)
    _keep(key, value, len(data))
    return data


def _loaded(key: str, data: bytes) -> object:
    value: object = unpacked(data)
    _keep(key, value, len(data))
    return value


def _keep(key: str, value: object, size: int) -> None:
    if size <= LARGEST_LOADED:
        with _lock:
            _kept[key] = value


def _key(what: State) -> str:
    return sha256(repr((code_version(), _apart.get(), what)).encode()).hexdigest()


@once
def code_version() -> str:
    """Return a hash of the code that computes figures."""
    digest = sha256()
    for file in sorted(file for folder in FOLDERS_OF_FORMULAS for file in folder.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()
