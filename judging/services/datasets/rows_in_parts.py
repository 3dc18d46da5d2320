"""Store and count rows in parts, because the rows of a large file do not fit into memory."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from django.db import models

from evenhand.formats import DiskDictionary

PART_SIZE = 2_000_000  # characters of the rows that are stored at once
CHARACTERS_PER_ROW = 500  # memory of a row without its text

_ItemT = TypeVar("_ItemT")
_RowT = TypeVar("_RowT", bound=models.Model)


def split_into_parts(items: Iterable[_ItemT], size_of: Callable[[_ItemT], int]) -> Iterator[list[_ItemT]]:
    """Yield the items in parts that take little memory. size_of: characters of an item, with CHARACTERS_PER_ROW."""
    part: list[_ItemT] = []
    size = 0
    for item in items:
        part.append(item)
        size += size_of(item)
        if size >= PART_SIZE:
            yield part
            part, size = [], 0
    if part:
        yield part


def bulk_create_in_parts(model: type[_RowT], rows: Iterable[_RowT], *, texts: tuple[str, ...] = ()) -> int:
    """Store the rows in order, and return their number. texts: the fields of long texts."""

    def size_of(row: _RowT) -> int:
        return CHARACTERS_PER_ROW + sum(len(getattr(row, field)) for field in texts)

    count = 0
    for part in split_into_parts(rows, size_of):
        model._default_manager.bulk_create(part)
        count += len(part)
    return count


def count_different(names: Iterable[str]) -> int:
    seen = DiskDictionary()
    return sum(seen.add((name,), True) for name in names)
