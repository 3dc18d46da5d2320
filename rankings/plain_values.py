"""Figures as bytes for the cache, and back. Reading them runs no code: they become data, arrays and our dataclasses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pkgutil import resolve_name
from typing import Any

import msgpack
import numpy as np

OWN_PACKAGES = ("evenhand", "judging", "rankings")


def packed(value: object) -> bytes:
    """Return a value as bytes. Raises TypeError for what is neither data nor one of our dataclasses."""
    data: bytes = msgpack.packb(value, default=_tagged, strict_types=True)
    return data


def unpacked(data: bytes) -> Any:  # noqa: ANN401 - whatever was packed
    """Return the value of bytes. Raises ValueError for bytes that `packed` does not write."""
    return msgpack.unpackb(data, ext_hook=_untagged, strict_map_key=False)


def _tagged(value: object) -> msgpack.ExtType:
    """Return what MessagePack has no type for, as one of ours: the number of its reader, and its parts."""
    if isinstance(value, np.ndarray | np.generic):
        parts: object = [value.dtype.str, list(value.shape), value.tobytes()]
        return msgpack.ExtType(_ARRAY if isinstance(value, np.ndarray) else _NUMBER, packed(parts))
    kind = type(value)
    if kind in _COLLECTIONS:
        return msgpack.ExtType(_COLLECTIONS.index(kind), packed(list(value)))  # type: ignore[call-overload]
    name = f"{kind.__module__}:{kind.__qualname__}"
    if _class_named(name) is not kind:
        raise TypeError(f"a {name} cannot be cached: use dataclasses, tuples, lists, dicts, sets, numbers and texts")
    return msgpack.ExtType(_OWN, packed([name, _values_of(value)]))


def _values_of(value: Any) -> list[Any]:  # noqa: ANN401 - one of our classes
    if isinstance(value, Enum):
        return [value.value]
    return [getattr(value, one.name) for one in fields(value)] if is_dataclass(value) else list(value)


def _untagged(tag: int, data: bytes) -> object:
    parts = unpacked(data)
    return _READERS[tag](parts) if tag < len(_COLLECTIONS) else _READERS[tag](*parts)


def _array(kind: str, shape: list[int], data: bytes) -> Any:  # noqa: ANN401 - an array or a number
    return np.frombuffer(data, dtype=np.dtype(kind)).reshape(shape).copy()


def _own(name: str, values: list[Any]) -> object:
    found = _class_named(name)
    if issubclass(found, Enum):
        return found(*values)
    if issubclass(found, tuple):
        return found(*values)
    made = object.__new__(found)
    for field, value in zip(fields(found), values, strict=True):
        object.__setattr__(made, field.name, value)
    return made


@cache
def _class_named(name: str) -> Any:  # noqa: ANN401 - a class
    """Return a dataclass, a named tuple or an enumeration of ours. Raises TypeError for any other name."""
    found = resolve_name(name) if name.partition(".")[0] in OWN_PACKAGES and "<" not in name else None
    is_own = isinstance(found, type) and (is_dataclass(found) or issubclass(found, Enum) or hasattr(found, "_make"))
    if not is_own:
        raise TypeError(f"{name} cannot be cached: use dataclasses, tuples, lists, dicts, sets, numbers and texts")
    return found


_COLLECTIONS: list[type] = [tuple, set, frozenset]
_ARRAY, _NUMBER, _OWN = range(len(_COLLECTIONS), len(_COLLECTIONS) + 3)
_READERS: Mapping[int, Callable[..., object]] = {
    **dict(enumerate(_COLLECTIONS)),
    _ARRAY: _array,
    _NUMBER: lambda *parts: _array(*parts)[()],
    _OWN: _own,
}
