"""Intervals of many figures from the same draws of contexts.

Every figure with the same number of contexts has the same resamples. Drawing them takes longer than summing over them,
so the figures of one block of `shared_draws` wait for each other, and are summed over as the columns of one matrix.
Threads of `figure_threads` may compute the figures of one block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import compress, islice
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankings.numerics.arrays import BoolArray, FloatArray
from rankings.numerics.figure import Figure
from rankings.numerics.resampling import RESAMPLES, resampled_sums

COVERAGE = 0.95
_ENDS = np.array([(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
_SUMS_AT_ONCE = 1 << 18  # they fit into a core's own cache
_DRAWN_TOGETHER = 2  # each in a thread, because numpy leaves the interpreter free meanwhile
_MOST_BYTES = 1 << 27  # 128 MB wait at most, unless one figure alone is larger
_EXACT_FLOAT32 = 1 << 24  # float32 holds each smaller whole number

Statistic = Callable[[FloatArray], FloatArray]
"""Maps sums over contexts, (n_samples, n_parts), to values, (n_samples,). NaN if undefined."""
Receiver = Callable[[FloatArray], None]
"""Takes sums over contexts in each resample, (RESAMPLES, n_parts)."""
_Columns = tuple[tuple[int, float], ...]
"""The columns that hold the parts of a statistic: their numbers, and what to multiply them with."""
T = TypeVar("T")


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


def with_drawn_sums(parts: FloatArray, receive: Receiver) -> None:
    """Pass the sums of parts over contexts drawn with replacement to `receive`: (RESAMPLES, n_parts).

    In a block of `shared_draws`, that follows later.
    parts: float, (n_contexts, n_parts). Contribution of each context to the sums.
    """
    with _shared() as waiting:
        waiting.add_receiver(receive, parts)


class Start(Protocol):
    """Starts a function, and returns the function that waits for its result."""

    def __call__(self, compute: Callable[[], T]) -> Callable[[], T]: ...


@contextmanager
def figure_threads(threads: int) -> Iterator[Start]:
    """Yield what starts functions in threads. numpy leaves the interpreter free during long operations.

    A function may wait for results of those that were started before it. The figures of all wait in the block of this
    thread, in the order of the starts: the order of columns may change the last digit of an interval.
    threads: with 1, each function is called at its start.
    """
    if threads < 2:
        yield _call_at_once
        return
    begun = []

    def start(compute: Callable[[], T]) -> Callable[[], T]:
        begun.append(WaitingFigures())
        return pool.submit(_call_in_block, begun[-1], compute).result

    with _shared() as waiting:
        with ThreadPoolExecutor(threads) as pool:
            yield start
        for own in begun:
            waiting.take_over(own)


def _call_at_once(compute: Callable[[], T]) -> Callable[[], T]:
    result = compute()
    return lambda: result


def _call_in_block(own: WaitingFigures, compute: Callable[[], T]) -> T:
    token = _waiting.set(own)
    try:
        return compute()
    finally:
        _waiting.reset(token)


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
        self._bytes = 0

    def add(self, figure: Figure, statistic: Statistic, parts: FloatArray) -> None:
        """Let a figure wait. parts: float, (n_contexts, n_parts)."""
        self._bytes += self._of_size(len(parts)).add(figure, statistic, parts)
        self._complete_if_large()

    def add_receiver(self, receive: Receiver, parts: FloatArray) -> None:
        """Let a receiver of sums wait. parts: float, (n_contexts, n_parts)."""
        self._bytes += self._of_size(len(parts)).add_receiver(receive, parts)
        self._complete_if_large()

    def take_over(self, others: WaitingFigures) -> None:
        """Let the figures that wait elsewhere wait here."""
        for n_contexts, same in others._by_contexts.items():
            self._bytes += self._of_size(n_contexts).take_over(same)
        self._complete_if_large()

    def _of_size(self, n_contexts: int) -> _SameContexts:
        return self._by_contexts.setdefault(n_contexts, _SameContexts(n_contexts))

    def _complete_if_large(self) -> None:
        if self._bytes > _MOST_BYTES:
            self.complete()

    def complete(self) -> None:
        """Give all figures their intervals."""
        waiting = list(self._by_contexts.values())
        for same, sums in zip(waiting, _sums_of(waiting), strict=True):
            same.complete(sums)
        self._by_contexts, self._bytes = {}, 0


class _SameContexts:
    """Figures with one number of contexts, and their parts as columns.

    Equal columns are stored once. Columns of small whole numbers, and of small multiples of one number, are stored in
    int8.
    """

    def __init__(self, n_contexts: int) -> None:
        self._n_contexts = n_contexts
        self._numbers: dict[bytes, int] = {}  # content of each column -> its number
        self._figures: dict[
            tuple[Statistic, int], dict[_Columns, list[Figure]]
        ] = {}  # by statistic and number of parts
        self._receivers: list[tuple[Receiver, _Columns]] = []

    def add(self, figure: Figure, statistic: Statistic, parts: FloatArray) -> int:
        """Let a figure wait. Returns the bytes of new columns and of their sums."""
        known = len(self._numbers)
        alike = self._figures.setdefault((statistic, parts.shape[1]), {})
        alike.setdefault(self._columns_of(parts), []).append(figure)
        return self._bytes_since(known)

    def add_receiver(self, receive: Receiver, parts: FloatArray) -> int:
        """Let a receiver wait. Returns what `add` returns."""
        known = len(self._numbers)
        self._receivers.append((receive, self._columns_of(parts)))
        return self._bytes_since(known)

    def take_over(self, others: _SameContexts) -> int:
        """Let the figures and receivers that wait elsewhere wait here. Returns what `add` returns."""
        known = len(self._numbers)
        numbers = [self._numbers.setdefault(content, len(self._numbers)) for content in others._numbers]
        for key, alike in others._figures.items():
            own = self._figures.setdefault(key, {})
            for columns, figures in alike.items():
                own.setdefault(_renumbered(columns, numbers), []).extend(figures)
        self._receivers += [(receive, _renumbered(columns, numbers)) for receive, columns in others._receivers]
        return self._bytes_since(known)

    def complete(self, sums: FloatArray) -> None:
        """Give the figures their intervals, and the receivers their sums. sums: from `resampled_sums`."""
        for (statistic, _), alike in self._figures.items():
            _complete_alike(statistic, alike, sums)
        for receive, columns in self._receivers:
            numbers, scales = zip(*columns, strict=True)
            receive(sums[:, numbers] * scales)

    def _bytes_since(self, known: int) -> int:
        """Return the bytes that the columns after the first `known` ones take while they are summed."""
        added = islice(reversed(self._numbers), len(self._numbers) - known)
        return sum(max(len(content), 4 * self._n_contexts) + 8 * RESAMPLES for content in added)

    def _columns_of(self, parts: FloatArray) -> _Columns:
        """Store the parts, and return their columns."""
        contents = _contents(np.ascontiguousarray(parts.T, dtype=np.float64))
        return tuple((self._numbers.setdefault(content, len(self._numbers)), scale) for content, scale in contents)

    def n_values(self) -> int:
        """Return the number of values to draw and to sum in each resample."""
        return self._n_contexts * (1 + len(self._numbers))

    def resampled_sums(self) -> FloatArray:
        """Sum each column over the contexts of each resample, (RESAMPLES, n_columns), and forget the columns."""
        small = np.array([len(content) == self._n_contexts for content in self._numbers], dtype=bool)
        whole: NDArray[Any] = self._matrix(np.int8, small).astype(self._exact_type())
        others = self._matrix(np.float64, ~small)
        self._numbers.clear()
        sums = np.empty((RESAMPLES, len(small)))
        sums[:, small], sums[:, ~small] = resampled_sums(self._n_contexts, [whole, others])
        return sums

    def _matrix(self, stored_as: type, chosen: BoolArray) -> NDArray[Any]:
        """Return the chosen columns, (n_chosen, n_contexts)."""
        contents = compress(self._numbers, chosen)
        return np.frombuffer(b"".join(contents), dtype=stored_as).reshape(int(chosen.sum()), self._n_contexts)

    def _exact_type(self) -> type:
        """Return the faster type that holds each sum of small whole numbers exactly."""
        largest = self._n_contexts * np.iinfo(np.int8).max
        return np.float32 if largest < _EXACT_FLOAT32 else np.float64


def _sums_of(waiting: Sequence[_SameContexts]) -> list[FloatArray]:
    """Return the `resampled_sums` of each. Different numbers of contexts are drawn at once, the largest first."""
    if len(waiting) < 2:
        return [same.resampled_sums() for same in waiting]
    with ThreadPoolExecutor(_DRAWN_TOGETHER) as pool:
        longest_first = sorted(waiting, key=_SameContexts.n_values, reverse=True)
        sums = {id(same): pool.submit(same.resampled_sums) for same in longest_first}
        return [sums[id(same)].result() for same in waiting]


def _renumbered(columns: _Columns, numbers: Sequence[int]) -> _Columns:
    return tuple((numbers[number], scale) for number, scale in columns)


def _contents(columns: FloatArray) -> Iterator[tuple[bytes, float]]:
    """Yield the bytes of each column, (n_columns, n_contexts), and what to multiply their numbers with.

    The bytes are whole numbers of int8 where that gives the column exactly, others of float64.
    """
    small, fits = _as_small(columns)
    scales = np.ones(len(columns))
    others = ~fits
    scales[others] = _smallest_sizes(columns[others])
    small[others], fits[others] = _as_small(columns[others], scales[others, None])
    for column, whole, scale, is_small in zip(columns, small, scales.tolist(), fits.tolist(), strict=True):
        yield (whole.tobytes(), scale) if is_small else (column.tobytes(), 1.0)


def _as_small(columns: FloatArray, scales: FloatArray | float = 1.0) -> tuple[NDArray[Any], BoolArray]:
    """Divide columns by scales. Returns the ratios in int8, and for which columns they are exact."""
    with np.errstate(invalid="ignore", over="ignore"):
        small = (columns / scales).astype(np.int8)
    return small, (small * scales == columns).all(axis=1)


def _smallest_sizes(columns: FloatArray) -> FloatArray:
    """Return the smallest size of each column's numbers that are not zero; 1 if there is none."""
    sizes = np.abs(columns)
    smallest = np.where(sizes > 0, sizes, np.inf).min(axis=1, initial=np.inf)
    return np.where(np.isinf(smallest), 1.0, smallest)


def _complete_alike(statistic: Statistic, alike: Mapping[_Columns, Sequence[Figure]], sums: FloatArray) -> None:
    """Give the figures of one statistic their intervals. alike: figures by columns of the sums, equally many each."""
    numbers, scales = np.moveaxis(np.array(list(alike)), 2, 0)  # each (n_samples, n_parts)
    numbers = numbers.astype(np.intp)
    at_once = max(1, _SUMS_AT_ONCE // (RESAMPLES * numbers.shape[1]))
    ends: list[tuple[float, float]] = []
    for at in range(0, len(numbers), at_once):
        some = slice(at, at + at_once)
        parts = sums[:, numbers[some]] * scales[some]  # (RESAMPLES, some, n_parts)
        samples = statistic(parts.reshape(-1, parts.shape[2])).reshape(parts.shape[:2])
        ends += row_percentiles(samples.T)
    for (low, high), figures in zip(ends, alike.values(), strict=True):
        for figure in figures:
            figure.complete(low, high)


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
