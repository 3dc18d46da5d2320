"""Sums over contexts drawn with replacement, for several figures from the same draws.

Every figure with the same number of contexts has the same resamples. Drawing them takes longer than summing over them,
so the figures of one block of `shared_draws` wait for each other, and are summed over as the columns of one matrix.
Threads of `figure_threads` may compute the figures of one block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from typing import Protocol, TypeVar

import numpy as np

from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.resampling import RESAMPLES, resampled_sums

_ENDS = np.array([0.025, 0.975])
_DRAWN_TOGETHER = 2  # each in a thread, because numpy leaves the interpreter free meanwhile
_MOST_BYTES = 1 << 27  # 128 MB wait at most, unless one figure alone is larger

Statistic = Callable[[FloatArray], FloatArray]
"""Maps sums over contexts, (n_samples, n_parts), to values, (n_samples,). NaN if undefined."""
Receiver = Callable[[FloatArray], None]
"""Takes sums over contexts in each resample, (RESAMPLES, n_parts)."""
T = TypeVar("T")


@contextmanager
def shared_draws() -> Iterator[None]:
    """Draw contexts once for all figures of this block.

    Figures that need draws get their intervals at the end of the outermost block at the latest. Until then, low and
    high may be None.
    """
    with _shared():
        yield


def with_drawn_sums(parts: FloatArray, receive: Receiver) -> None:
    """Pass the sums of parts over contexts drawn with replacement to `receive`: (RESAMPLES, n_parts).

    In a block of `shared_draws`, that follows later.
    parts: float, (n_contexts, n_parts). Contribution of each context to the sums.
    """
    with _shared() as waiting:
        waiting.add(receive, parts)


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
    """Receivers without their sums, by their numbers of contexts."""

    def __init__(self) -> None:
        self._by_contexts: dict[int, _SameContexts] = {}
        self._bytes = 0

    def add(self, receive: Receiver, parts: FloatArray) -> None:
        """Let a receiver of sums wait. parts: float, (n_contexts, n_parts)."""
        self._bytes += self._of_size(len(parts)).add(receive, parts)
        self._complete_if_large()

    def take_over(self, others: WaitingFigures) -> None:
        """Let the receivers that wait elsewhere wait here."""
        for n_contexts, same in others._by_contexts.items():
            self._bytes += self._of_size(n_contexts).take_over(same)
        self._complete_if_large()

    def _of_size(self, n_contexts: int) -> _SameContexts:
        return self._by_contexts.setdefault(n_contexts, _SameContexts(n_contexts))

    def _complete_if_large(self) -> None:
        if self._bytes > _MOST_BYTES:
            self.complete()

    def complete(self) -> None:
        """Give all receivers their sums."""
        waiting = list(self._by_contexts.values())
        for same, sums in zip(waiting, _sums_of(waiting), strict=True):
            same.complete(sums)
        self._by_contexts, self._bytes = {}, 0


class _SameContexts:
    """Receivers with one number of contexts, and their parts as columns. Equal columns are stored once."""

    def __init__(self, n_contexts: int) -> None:
        self._n_contexts = n_contexts
        self._numbers: dict[bytes, int] = {}  # content of each column -> its number
        self._receivers: list[tuple[Receiver, list[int]]] = []

    def add(self, receive: Receiver, parts: FloatArray) -> int:
        """Let a receiver wait. Returns the bytes of new columns and of their sums."""
        contents = [column.tobytes() for column in np.ascontiguousarray(parts.T, dtype=np.float64)]
        return self._add_columns([(receive, contents)])

    def take_over(self, others: _SameContexts) -> int:
        """Let the receivers that wait elsewhere wait here. Returns what `add` returns."""
        contents = list(others._numbers)
        return self._add_columns(
            [(receive, [contents[number] for number in columns]) for receive, columns in others._receivers]
        )

    def _add_columns(self, receivers: Sequence[tuple[Receiver, list[bytes]]]) -> int:
        known = len(self._numbers)
        for receive, contents in receivers:
            columns = [self._numbers.setdefault(content, len(self._numbers)) for content in contents]
            self._receivers.append((receive, columns))
        return sum(len(content) + 8 * RESAMPLES for content in islice(self._numbers, known, None))

    def complete(self, sums: FloatArray) -> None:
        """Give the receivers their sums, from `resampled_sums`."""
        for receive, columns in self._receivers:
            receive(sums[:, columns])

    def n_values(self) -> int:
        """Return the number of values to draw and to sum in each resample."""
        return self._n_contexts * (1 + len(self._numbers))

    def resampled_sums(self) -> FloatArray:
        """Sum each column over the contexts of each resample, (RESAMPLES, n_columns)."""
        matrix = np.frombuffer(b"".join(self._numbers)).reshape(-1, self._n_contexts)
        return resampled_sums(matrix)


def _sums_of(waiting: Sequence[_SameContexts]) -> list[FloatArray]:
    """Return the `resampled_sums` of each. Different numbers of contexts are drawn at once, the largest first."""
    if len(waiting) < 2:
        return [same.resampled_sums() for same in waiting]
    with ThreadPoolExecutor(_DRAWN_TOGETHER) as pool:
        longest_first = sorted(waiting, key=_SameContexts.n_values, reverse=True)
        sums = {id(same): pool.submit(same.resampled_sums) for same in longest_first}
        return [sums[id(same)].result() for same in waiting]


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
