"""Contexts drawn with replacement, for the percentile bootstrap [Efron1993]."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

import numpy as np

from rankings.numerics.arrays import FloatArray, IntArray, counts

RESAMPLES = 1_000
RESAMPLING_SEED = 20240101
_DRAWN_AT_ONCE = 1 << 17  # they fit into a core's own cache
_COUNTED_AT_ONCE = 1 << 21  # 16 MB: enough rows for a fast product of matrices
_KEPT_ELEMENTS = 1 << 19  # 4 MB are cached for each number of contexts


def resamples(n_contexts: int) -> Iterator[IntArray]:
    """Yield contexts drawn with replacement, in chunks: int, (n_in_chunk, n_contexts). Same at each call."""
    rng = np.random.default_rng(RESAMPLING_SEED)
    rows = max(1, _DRAWN_AT_ONCE // n_contexts)
    for done in range(0, RESAMPLES, rows):
        yield rng.integers(0, n_contexts, (min(rows, RESAMPLES - done), n_contexts))


def resampled_counts(n_contexts: int) -> Iterator[FloatArray]:
    """Yield how often each resample draws each context, in chunks: (n_in_chunk, n_contexts). Same at each call.

    The chunks may be views of one array, so use each before the next.
    """
    if n_contexts * RESAMPLES <= _KEPT_ELEMENTS:
        yield _kept_counts(n_contexts)
        return
    counted = np.empty((min(RESAMPLES, max(1, _COUNTED_AT_ONCE // n_contexts)), n_contexts))
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
