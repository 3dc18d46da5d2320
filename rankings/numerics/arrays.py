"""Array types of this package's signatures, and sums and counts by index."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
LARGEST_KEPT = 64


def sums(indices: IntArray, values: FloatArray | BoolArray, size: int) -> FloatArray:
    """Sum the values of each index from 0 to size - 1, (size,)."""
    return np.bincount(indices, values, size).astype(np.float64)


def counts(indices: IntArray, size: int) -> IntArray:
    """Count how often each index from 0 to size - 1 occurs, (size,)."""
    return np.bincount(indices, minlength=size)


def pair_indices(n: int) -> tuple[IntArray, IntArray]:
    """Return both members of each unordered pair of n things, each (n_pairs,). Callers must not modify them."""
    return _kept_pair_indices(n) if n <= LARGEST_KEPT else np.triu_indices(n, 1)


@lru_cache(maxsize=LARGEST_KEPT)
def _kept_pair_indices(n: int) -> tuple[IntArray, IntArray]:
    return np.triu_indices(n, 1)
