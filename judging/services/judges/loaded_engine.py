"""The one engine that a process keeps loaded, and how fast it is."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock, Timer

from judging.engine import MEASURED, Engine, EngineSettings

logger = logging.getLogger(__name__)

SLICE_SECONDS = 2.0
FIRST_SLICE = 8
LARGEST_SLICE = 2_000
FASTEST_GROWTH = 4
WORTH_FEWER = 0.75  # of the speed of more


class Pace:
    """How many questions, or texts to write, take so many seconds: few at first, then by what was measured.

    Where fewer take hardly less time than more did, as texts that a GPU writes together, or requests to an endpoint
    side by side, there are never again fewer.
    """

    def __init__(self, *, first: int = FIRST_SLICE, seconds: float = SLICE_SECONDS) -> None:
        self._first = first
        self._seconds = seconds
        self.reset()

    def reset(self) -> None:
        self.size = self._first
        self._least = 1
        self._before = (0, 0.0)

    def record(self, questions: int, seconds: float) -> None:
        """Learn from a slice. A short one says little about larger ones, so growth is bounded."""
        speed = questions / max(seconds, 1e-3)
        more, too_long = self._before
        if questions < more and too_long > self._seconds and speed < WORTH_FEWER * more / too_long:
            self._least = more
        self._before = questions, seconds
        self.size = max(self._least, min(round(speed * self._seconds), FASTEST_GROWTH * self.size, LARGEST_SLICE))


class EngineHolder:
    """Keeps the engine last used, and lets go of it before another is loaded: two may not fit.

    products: which library multiplies, for every engine. idle_seconds: after so long without work the engine is let go
    of, and loaded again when it is next wanted; None: never. pace: of the engine held.
    """

    def __init__(
        self,
        load: Callable[[EngineSettings], Engine],
        *,
        products: str = MEASURED,
        idle_seconds: float | None = None,
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

    def load(self, settings: EngineSettings) -> Engine:
        """The engine for these settings. Raises LoadFailed."""
        if self._engine is None or settings != self._settings:
            self.close()
            self._engine = self._load(replace(settings, products=self._products))
            self._settings = settings
        return self._engine

    @contextmanager
    def working(self) -> Iterator[None]:
        """Within, the engine is never idle; afterwards it is until the next work."""
        with self._lock:
            self._cancel_alarm()
            self._turn += 1
            try:
                yield
            finally:
                self._set_alarm()

    def close(self) -> None:
        """Let go of the engine, if there is one."""
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
        """Waits for work that has begun: its end sets an alarm of its own, and this one is late."""
        with self._lock:
            if turn == self._turn:
                logger.info("idle for %g seconds: the judge's weights are let go of", self._idle_seconds)
                self.close()
