"""The array types that signatures of this package name, and sums into them."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


def sums(places: IntArray, values: FloatArray | BoolArray, size: int) -> FloatArray:
    """The sum of the values that fall on each place from 0 to size - 1, (size,)."""
    return np.bincount(places, values, size).astype(np.float64)


def counts(places: IntArray, size: int) -> IntArray:
    """How many of the places are each number from 0 to size - 1, (size,)."""
    return np.bincount(places, minlength=size)
