"""Contexts drawn with replacement, for the percentile bootstrap [Efron1993]."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.arrays import FloatArray, IntArray, counts

RESAMPLES = 1_000
RESAMPLING_SEED = 20240101
_DRAWN_AT_ONCE = 1 << 17  # they fit into a core's own cache
_COUNTED_AT_ONCE = 1 << 21  # 16 MB of float64
_SUMMED_AT_ONCE = 1 << 23  # 8 MB of uint8: many resamples, because every product of matrices reads all columns
_CONTEXTS_AT_ONCE = 1 << 13  # their counts are converted within a core's own cache
_KEPT_ELEMENTS = 1 << 19  # 4 MB are cached for each number of contexts


def resamples(n_contexts: int) -> Iterator[IntArray]:
    """Yield contexts drawn with replacement, in chunks: int, (n_in_chunk, n_contexts). Same at each call."""
    rng = np.random.default_rng(RESAMPLING_SEED)
    rows = max(1, _DRAWN_AT_ONCE // n_contexts)
    for done in range(0, RESAMPLES, rows):
        yield rng.integers(0, n_contexts, (min(rows, RESAMPLES - done), n_contexts))


def resampled_counts(n_contexts: int, at_once: int = _COUNTED_AT_ONCE, dtype: type = float) -> Iterator[NDArray[Any]]:
    """Yield how often each resample draws each context, in chunks: (n_in_chunk, n_contexts). Same at each call.

    The chunks may be views of one array, so use each before the next. at_once, dtype: elements and type of chunks that
    are not cached.
    """
    if n_contexts * RESAMPLES <= _KEPT_ELEMENTS:
        yield _kept_counts(n_contexts)
    else:
        yield from _counted(n_contexts, at_once, dtype)


def resampled_sums(matrix: FloatArray) -> FloatArray:
    """Sum the columns of a matrix over the contexts of each resample: (RESAMPLES, n_columns).

    matrix: float, (n_columns, n_contexts).
    """
    n_contexts = matrix.shape[1]
    totals = np.zeros((RESAMPLES, len(matrix)))
    done = 0
    for times in resampled_counts(n_contexts, _SUMMED_AT_ONCE, np.uint8):  # 256 draws of one have odds of 10**-500
        rows = slice(done, done + len(times))
        for at in range(0, n_contexts, _CONTEXTS_AT_ONCE):
            some = slice(at, at + _CONTEXTS_AT_ONCE)
            totals[rows] += times[:, some].astype(np.float64) @ matrix[:, some].T
        done = rows.stop
    return totals


def _counted(n_contexts: int, at_once: int, dtype: type) -> Iterator[NDArray[Any]]:
    counted: NDArray[Any] = np.empty((min(RESAMPLES, max(1, at_once // n_contexts)), n_contexts), dtype=dtype)
    filled = 0
    for contexts in chain.from_iterable(resamples(n_contexts)):
        if filled == len(counted):
            yield counted
            filled = 0
        counted[filled] = counts(contexts, n_contexts)
        filled += 1
    yield counted[:filled]


@lru_cache(maxsize=8)
def _kept_counts(n_contexts: int) -> FloatArray:
    drawn = chain.from_iterable(resamples(n_contexts))
    kept = np.stack([counts(contexts, n_contexts) for contexts in drawn]).astype(np.float64)
    kept.flags.writeable = False
    return kept
