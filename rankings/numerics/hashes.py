"""Hashes of numbers and of rows, to find equal ones faster than by sorting rows."""

import numpy as np
from numpy.typing import NDArray

from rankings.numerics.arrays import FloatArray, IntArray

Hashes = NDArray[np.uint64]


def scrambled(numbers: IntArray | Hashes) -> Hashes:
    """Map numbers to 64 random-looking bits (splitmix64)."""
    bits = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def row_hashes(rows: FloatArray) -> Hashes:
    """Return a hash of each row, (n_rows,). Equal rows have equal hashes; different rows share one once in 2**64."""
    hashes = np.zeros(len(rows), dtype=np.uint64)
    for column in rows.T:
        hashes = scrambled(hashes + (column + 0.0).view(np.uint64))  # adding 0 turns -0 into 0
    return hashes
