"""Intervals of many figures from the same draws of contexts.

Every figure with the same number of contexts has the same resamples. Drawing them takes longer than summing over them,
so the figures of one block of `shared_draws` wait for each other, and are summed over as the columns of one matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from rankings.numerics.arrays import FloatArray
from rankings.numerics.figure import Figure
from rankings.numerics.resampling import RESAMPLES, resampled_counts

COVERAGE = 0.95
_ENDS = np.array([(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
_MOST_ELEMENTS = 1 << 23  # 64 MB wait at most, unless one figure alone is larger
_COLUMNS_AT_ONCE = 64

Statistic = Callable[[FloatArray], FloatArray]
"""Maps sums over contexts, (n_samples, n_parts), to values, (n_samples,). NaN if undefined."""
_Sample = tuple[Statistic, tuple[int, ...]]
"""A statistic, and the columns that hold its parts."""


@contextmanager
def shared_draws() -> Iterator[None]:
    """Draw contexts once for all figures of this block.

    The figures get their intervals at the end of the outermost block at the latest. Until then, low and high may be
    None.
    """
    with _shared():
        yield


def with_interval(figure: Figure, statistic: Statistic, parts: FloatArray) -> Figure:
    """Return the figure with the 95 % interval of a statistic of sums over contexts drawn with replacement.

    In a block of `shared_draws`, the interval follows later. Resamples in which the statistic is NaN are left out.
    parts: float, (n_contexts, n_parts). Contribution of each context to the sums.
    """
    with _shared() as waiting:
        waiting.add(figure, statistic, parts)
    return figure


@contextmanager
def _shared() -> Iterator[WaitingFigures]:
    """Yield the figures that wait in the outermost block. If there is none, this block is the outermost."""
    outer = _waiting.get()
    if outer is not None:
        yield outer
        return
    own = WaitingFigures()
    token = _waiting.set(own)
    try:
        yield own
    finally:
        _waiting.reset(token)
    own.complete()


class WaitingFigures:
    """Figures without their intervals, by their numbers of contexts."""

    def __init__(self) -> None:
        self._by_contexts: dict[int, _SameContexts] = {}
        self._elements = 0

    def add(self, figure: Figure, statistic: Statistic, parts: FloatArray) -> None:
        """Let a figure wait. parts: float, (n_contexts, n_parts)."""
        same = self._by_contexts.setdefault(len(parts), _SameContexts(len(parts)))
        self._elements += len(parts) * same.add(figure, statistic, parts)
        if self._elements > _MOST_ELEMENTS:
            self.complete()

    def complete(self) -> None:
        """Give all figures their intervals."""
        for same in self._by_contexts.values():
            same.complete()
        self._by_contexts, self._elements = {}, 0


class _SameContexts:
    """Figures with one number of contexts, and their parts as columns. Equal columns are stored once."""

    def __init__(self, n_contexts: int) -> None:
        self._n_contexts = n_contexts
        self._columns: dict[bytes, int] = {}  # content -> index
        self._figures: dict[_Sample, list[Figure]] = {}

    def add(self, figure: Figure, statistic: Statistic, parts: FloatArray) -> int:
        """Let a figure wait. Returns the number of columns that were not stored before."""
        known = len(self._columns)
        contents = [part.tobytes() for part in parts.T.astype(np.float64)]
        columns = tuple(self._columns.setdefault(content, len(self._columns)) for content in contents)
        self._figures.setdefault((statistic, columns), []).append(figure)
        return len(self._columns) - known

    def complete(self) -> None:
        sums = self._resampled_sums()
        samples = [statistic(sums[:, list(columns)]) for statistic, columns in self._figures]
        for (low, high), figures in zip(row_percentiles(np.stack(samples)), self._figures.values(), strict=True):
            for figure in figures:
                figure.complete(low, high)

    def _resampled_sums(self) -> FloatArray:
        """Sum each column over the contexts of each resample, (RESAMPLES, n_columns)."""
        columns, done = list(self._columns), 0
        sums = np.empty((RESAMPLES, len(columns)))
        for times in resampled_counts(self._n_contexts):
            for at in range(0, len(columns), _COLUMNS_AT_ONCE):
                some = columns[at : at + _COLUMNS_AT_ONCE]
                parts = np.frombuffer(b"".join(some)).reshape(len(some), self._n_contexts)
                sums[done : done + len(times), at : at + len(some)] = times @ parts.T
            done += len(times)
        return sums


_waiting: ContextVar[WaitingFigures | None] = ContextVar("waiting", default=None)


def percentiles(values: FloatArray) -> tuple[float, float]:
    """Return the ends of the middle 95 % of the values."""
    low, high = np.quantile(values, _ENDS)
    return float(low), float(high)


def row_percentiles(rows: FloatArray) -> list[tuple[float, float]]:
    """Return the `percentiles` of each row, (n_rows, n), without its NaN.

    Rows without NaN are sorted together, which takes a third of the time of `np.quantile`.
    """
    at = _ENDS * (rows.shape[1] - 1)
    below = np.floor(at).astype(np.intp)
    ordered = np.sort(rows, axis=1)  # NaN goes last
    lower, upper = ordered[:, below], ordered[:, np.minimum(below + 1, rows.shape[1] - 1)]
    ends = lower + (at - below) * (upper - lower)
    complete = ~np.isnan(ordered[:, -1])
    return [
        (low, high) if known else percentiles(row[~np.isnan(row)])
        for (low, high), known, row in zip(ends.tolist(), complete.tolist(), ordered, strict=True)
    ]
