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


class Pace:
    """How many questions take about two seconds: few at first, then by what was measured."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.size = FIRST_SLICE

    def record(self, questions: int, seconds: float) -> None:
        """Learn from a slice. A short one says little about larger ones, so growth is bounded."""
        wanted = round(questions * SLICE_SECONDS / max(seconds, 1e-3))
        self.size = max(1, min(wanted, FASTEST_GROWTH * self.size, LARGEST_SLICE))


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
