"""Array types of this package's signatures, sums and counts by index, and the largest value whatever the rounding."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
TIE = 1e-9
"""Values that differ by this share of the largest are equal. Rounding differs between processors."""


def sums(indices: IntArray, values: FloatArray | BoolArray, size: int) -> FloatArray:
    """Sum the values of each index from 0 to size - 1, (size,)."""
    return np.bincount(indices, values, size).astype(np.float64)


def counts(indices: IntArray, size: int) -> IntArray:
    """Count how often each index from 0 to size - 1 occurs, (size,)."""
    return np.bincount(indices, minlength=size)


def first_largest(values: FloatArray) -> int:
    """Return the first index of the largest value, (n,); values that differ only by rounding are equal."""
    largest = values.max()
    if np.isinf(largest):
        return int(values.argmax())
    return int(np.argmax(values >= largest - TIE * abs(largest)))
