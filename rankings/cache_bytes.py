"""Figures as bytes for the cache, and back. Reading them runs no code: they become data, arrays and our dataclasses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, partial
from pkgutil import resolve_name
from typing import Any

import msgpack
import numpy as np

OWN_PACKAGES = ("evenhand", "judging", "rankings")


def packed(value: object) -> bytes:
    """Return a value as bytes. Raises TypeError for what is neither data nor one of our dataclasses.

    Equal objects of our classes are written once: the rows of a run hold the same few again and again.
    """
    objects: dict[bytes, int] = {}
    whole = _bytes_of(value, objects)
    return _bytes_of([list(objects), whole], {})


def unpacked(data: bytes) -> Any:  # noqa: ANN401 - whatever was packed
    """Return the value of bytes. Raises ValueError for bytes that `packed` does not write."""
    objects: list[object] = []
    listed, whole = _value_of(data, objects)
    for one in listed:  # parts come before what they are parts of
        objects.append(_own(*_value_of(one, objects)))
    return _value_of(whole, objects)


def _bytes_of(value: object, objects: dict[bytes, int]) -> bytes:
    data: bytes = msgpack.packb(value, default=partial(_tagged, objects), strict_types=True)
    return data


def _value_of(data: bytes, objects: Sequence[object]) -> Any:  # noqa: ANN401 - whatever was packed
    return msgpack.unpackb(data, ext_hook=partial(_untagged, objects), strict_map_key=False)


def _tagged(objects: dict[bytes, int], value: object) -> msgpack.ExtType:
    """Return what MessagePack has no type for, as one of ours: the number of its reader, and its parts."""
    if isinstance(value, np.ndarray | np.generic):
        parts: object = [value.dtype.str, list(value.shape), value.tobytes()]
        return msgpack.ExtType(_ARRAY if isinstance(value, np.ndarray) else _NUMBER, _bytes_of(parts, objects))
    kind = type(value)
    if kind in _COLLECTIONS:
        return msgpack.ExtType(_COLLECTIONS.index(kind), _bytes_of(list(value), objects))  # type: ignore[call-overload]
    name = f"{kind.__module__}:{kind.__qualname__}"
    if _class_named(name) is not kind:
        raise TypeError(f"a {name} cannot be cached: use dataclasses, tuples, lists, dicts, sets, numbers and texts")
    whole = _bytes_of([name, _values_of(value)], objects)
    return msgpack.ExtType(_OWN, str(objects.setdefault(whole, len(objects))).encode())


def _values_of(value: Any) -> list[Any]:  # noqa: ANN401 - one of our classes
    if isinstance(value, Enum):
        return [value.value]
    kind: type = type(value)
    return [getattr(value, name) for name in _fields_of(kind)] if is_dataclass(kind) else list(value)


def _untagged(objects: Sequence[object], tag: int, data: bytes) -> object:
    if tag == _OWN:
        return objects[int(data)]
    parts = _value_of(data, objects)
    return _READERS[tag](parts) if tag < len(_COLLECTIONS) else _READERS[tag](*parts)


def _array(kind: str, shape: list[int], data: bytes) -> Any:  # noqa: ANN401 - an array or a number
    return np.frombuffer(data, dtype=np.dtype(kind)).reshape(shape).copy()


def _own(name: str, values: list[Any]) -> object:
    found = _class_named(name)
    if issubclass(found, Enum | tuple):
        return found(*values)
    made = object.__new__(found)
    for field, value in zip(_fields_of(found), values, strict=True):
        object.__setattr__(made, field, value)
    return made


@cache
def _fields_of(found: type) -> list[str]:
    return [field.name for field in fields(found)]


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
}
