"""The unordered pairs of n things, in the order of `np.triu_indices`: those of one lower thing lie together."""

from functools import lru_cache
from math import isqrt

import numpy as np
from scipy.sparse import csr_array

from evenhand.numerics.arrays import FloatArray, IntArray

_KEPT_SIZES = 64


def pair_indices(n: int) -> tuple[IntArray, IntArray]:
    """Return both members of each pair, each (n_pairs,). Callers must not modify them."""
    return _kept_pair_indices(n) if n <= _KEPT_SIZES else np.triu_indices(n, 1)


@lru_cache(maxsize=_KEPT_SIZES)
def _kept_pair_indices(n: int) -> tuple[IntArray, IntArray]:
    return np.triu_indices(n, 1)


@lru_cache(maxsize=_KEPT_SIZES)
def pair_rows(n: int) -> tuple[slice, ...]:
    """Return the slice of pairs of each lower thing."""
    lengths = np.arange(n - 1, 0, -1)
    ends = np.cumsum(lengths)
    return tuple(slice(int(end - length), int(end)) for length, end in zip(lengths, ends, strict=True))


@lru_cache(maxsize=_KEPT_SIZES)
def pair_signs(n: int) -> csr_array:
    """+1 for the lower and -1 for the higher thing of each pair, (n, n_pairs).

    Sparse because its product is one plain loop. A dense product of this size goes to a threaded library, which is many
    times slower while other processes use the cores.
    """
    ends = np.concatenate(pair_indices(n))
    n_pairs = len(ends) // 2
    values = np.repeat([1.0, -1.0], n_pairs)
    return csr_array((values, (ends, np.tile(np.arange(n_pairs), 2))), shape=(n, n_pairs))


def number_in_pairs(n_pairs: int) -> int:
    """Return the number of things that have this number of pairs."""
    return (1 + isqrt(1 + 8 * n_pairs)) // 2


def row_differences(rows: FloatArray) -> FloatArray:
    """Return the lower less the higher of all pairs within rows, (…, n_pairs). rows: float, (…, n)."""
    lower, higher = pair_indices(rows.shape[-1])
    return rows[..., lower] - rows[..., higher]


def column_differences(columns: FloatArray, *, out: FloatArray | None = None) -> FloatArray:
    """Return the lower less the higher of all pairs within columns, (n_pairs, n_columns).

    Of many columns, this is faster than to copy both members of all pairs. columns: float, (n, n_columns). out: holds
    the result.
    """
    n, n_columns = columns.shape
    differences = np.empty((n * (n - 1) // 2, n_columns)) if out is None else out
    for lower, row in enumerate(pair_rows(n)):
        np.subtract(columns[lower], columns[lower + 1 :], out=differences[row])
    return differences
