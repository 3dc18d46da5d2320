"""The engine that a process keeps loaded, and the slice size that fits its speed."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock, Timer

from evenhand.engine import MEASURED, Engine, EngineSettings

logger = logging.getLogger(__name__)

SLICE_SECONDS = 2.0
FIRST_SLICE = 8
LARGEST_SLICE = 2_000
FASTEST_GROWTH = 4
SPEED_TO_SHRINK = 0.75  # share of a larger slice's speed


class Pace:
    """Number of questions in a slice of about `seconds`: `first` at the start, then by measured speed.

    Slices stop shrinking once a smaller slice takes about as long as a larger one, as with texts that a GPU generates
    in one batch, or parallel requests to an endpoint.
    """

    def __init__(self, *, first: int = FIRST_SLICE, seconds: float = SLICE_SECONDS) -> None:
        self._first = first
        self._seconds = seconds
        self.reset()

    def reset(self) -> None:
        self.size = self._first
        self._smallest = 1
        self._before = (0, 0.0)

    def record(self, questions: int, seconds: float) -> None:
        """Set the next size from a slice's speed. Growth is bounded: short slices say little about long ones."""
        speed = questions / max(seconds, 1e-3)
        size_before, seconds_before = self._before
        was_too_long = seconds_before > self._seconds
        if questions < size_before and was_too_long and speed < SPEED_TO_SHRINK * size_before / seconds_before:
            self._smallest = size_before
        self._before = questions, seconds
        self.size = max(self._smallest, min(round(speed * self._seconds), FASTEST_GROWTH * self.size, LARGEST_SLICE))


class EngineHolder:
    """Holds the last used engine, and closes it before it loads another: two may not fit into memory.

    products: the matrix multiplication library of every engine. idle_seconds: close the engine after this time without
    work; None: never. pace: slice size of the current engine.
    """

    def __init__(
        self, load: Callable[[EngineSettings], Engine], *, products: str = MEASURED, idle_seconds: float | None = None
    ) -> None:
        self._load = load
        self._products = products
        self._idle_seconds = idle_seconds
        self._settings: EngineSettings | None = None
        self._engine: Engine | None = None
        self._lock = Lock()
        self._alarm: Timer | None = None
        self._turn = 0
        self.pace = Pace()

    @property
    def model(self) -> str:
        """The model of the engine that is loaded; empty for none."""
        settings = self._settings
        return settings.model if settings else ""

    def load(self, settings: EngineSettings) -> Engine:
        """Return the engine with these settings. Raises LoadFailed."""
        if self._engine is None or settings != self._settings:
            self.close()
            self._engine = self._load(replace(settings, products=self._products))
            self._settings = settings
        return self._engine

    @contextmanager
    def working(self) -> Iterator[None]:
        """Keep the engine open while work runs. The idle time starts afterwards."""
        with self._lock:
            self._cancel_alarm()
            self._turn += 1
            try:
                yield
            finally:
                self._set_alarm()

    def close(self) -> None:
        """Close the engine, if one is loaded."""
        self._cancel_alarm()
        if self._engine is not None:
            self._engine.close()
        self._engine = self._settings = None
        self.pace.reset()

    def _set_alarm(self) -> None:
        if self._engine is not None and self._idle_seconds is not None:
            self._alarm = Timer(self._idle_seconds, self._close_idle, [self._turn])
            self._alarm.daemon = True
            self._alarm.start()

    def _cancel_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = None

    def _close_idle(self, turn: int) -> None:
        """Close the engine unless work ran since this alarm was set."""
        with self._lock:
            if turn == self._turn:
                logger.info("idle for %g seconds: engine closed", self._idle_seconds)
                self.close()
