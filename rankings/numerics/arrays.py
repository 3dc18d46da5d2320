"""Array types of this package's signatures, and sums and counts by index."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


def sums(indices: IntArray, values: FloatArray | BoolArray, size: int) -> FloatArray:
    """Sum the values of each index from 0 to size - 1, (size,)."""
    return np.bincount(indices, values, size).astype(np.float64)


def counts(indices: IntArray, size: int) -> IntArray:
    """Count how often each index from 0 to size - 1 occurs, (size,)."""
    return np.bincount(indices, minlength=size)
