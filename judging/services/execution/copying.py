"""Columns of values in the binary format of PostgreSQL's COPY.

A cell is its length in bytes (4 of them) and the value, big-endian; where there is no value, the length -1 alone.
Columns whose cells are all as long stand side by side in one array, so that nothing is done row by row.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from struct import pack
from typing import Any

import numpy as np
from numpy.typing import NDArray

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
NO_VALUE = pack("!i", -1)
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)

Cells = NDArray[Any] | list[bytes]
"""Of one column: an array (n,) of items of one size, or the bytes of each cell."""


def whole_numbers(column: Sequence[int]) -> Cells:
    """For bigint. Raises TypeError for what is no whole number."""
    return _beside_lengths(np.frombuffer(array("q", column), np.int64))


def numbers(column: Sequence[float | None]) -> Cells:
    """For double precision. Raises TypeError for what is no number."""
    there = [value for value in column if value is not None]
    if not there:
        return _alike(NO_VALUE, len(column))
    cells = _beside_lengths(np.frombuffer(array("d", there), np.float64))
    if len(there) == len(column):
        return cells
    left = iter(_side_by_side([cells]))
    return [NO_VALUE if value is None else next(left) for value in column]


def texts(column: Sequence[str]) -> Cells:
    """For text and varchar."""
    cell_of = {value: _text(value) for value in set(column)}
    if len(cell_of) == 1:
        return _alike(cell_of[column[0]], len(column))
    return [cell_of[value] for value in column]


def one_moment(moment: datetime, rows: int) -> Cells:
    """For timestamp with time zone, the same in all rows."""
    return _alike(pack("!iq", 8, (moment - EPOCH) // timedelta(microseconds=1)), rows)


def rows_of(columns: Sequence[Cells]) -> bytes:
    """Rows, each begun by its number of cells."""
    arrays: list[NDArray[Any]] = [_alike(pack("!h", len(columns)), len(columns[0]))]
    parts: list[list[bytes]] = []
    for cells in columns:
        if isinstance(cells, list):
            parts += [_side_by_side(arrays), cells] if arrays else [cells]
            arrays = []
        else:
            arrays.append(cells)
    parts += [_side_by_side(arrays)] if arrays else []
    return b"".join(chain.from_iterable(zip(*parts, strict=True)))


def _beside_lengths(values: NDArray[Any]) -> NDArray[Any]:
    cells = np.empty(len(values), [("length", ">i4"), ("value", values.dtype.newbyteorder(">"))])
    cells["length"], cells["value"] = values.itemsize, values
    return cells


def _alike(cell: bytes, rows: int) -> NDArray[Any]:
    return np.frombuffer(cell * rows, f"V{len(cell)}")


def _text(value: str) -> bytes:
    written = value.encode()
    return pack("!i", len(written)) + written


def _side_by_side(columns: Sequence[NDArray[Any]]) -> list[bytes]:
    """Of each row, the cells of all of the columns in one piece."""
    pieces = np.empty(len(columns[0]), [(str(place), column.dtype) for place, column in enumerate(columns)])
    for place, column in enumerate(columns):
        pieces[str(place)] = column
    whole: list[bytes] = pieces.view(f"V{pieces.itemsize}").tolist()
    return whole
