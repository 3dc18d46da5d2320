"""The one engine that a process keeps loaded, and how fast it is."""

from __future__ import annotations

from collections.abc import Callable

from judging.engine import Engine, EngineSettings

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

    pace: of the engine held.
    """

    def __init__(self, load: Callable[[EngineSettings], Engine]) -> None:
        self._load = load
        self._settings: EngineSettings | None = None
        self._engine: Engine | None = None
        self.pace = Pace()

    def load(self, settings: EngineSettings) -> Engine:
        """The engine for these settings. Raises LoadFailed."""
        if self._engine is None or settings != self._settings:
            self.close()
            self._engine = self._load(settings)
            self._settings = settings
        return self._engine

    def close(self) -> None:
        """Let go of the engine, if there is one."""
        if self._engine is not None:
            self._engine.close()
        self._engine = self._settings = None
        self.pace.reset()
