"""A claimed chunk, and what it takes to judge it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judging.engine import Engine
from judging.models import Hold, Run
from judging.prompting.templates import WordedPrompt
from judging.services.judges.loaded_engine import Pace
from judging.services.plans.question_texts import Texts


class LeaseLost(Exception):
    """Somebody else holds the chunk now, and answers what is left of it."""


class RunStopped(Exception):
    """The run was cancelled, or failed elsewhere. What is stored stays."""


@dataclass(frozen=True, slots=True)
class Work:
    """A claimed chunk, and what it takes to judge it. on_slice: called after each slice is stored."""

    run: Run
    hold: Hold
    engine: Engine
    pace: Pace
    prompt: WordedPrompt
    texts: Texts
    on_slice: Callable[[], None]

    def end_slice(self) -> None:
        """To be called after each slice. Raises RunStopped if the run is no longer wanted."""
        self.on_slice()
        self.require_wanted()

    def require_wanted(self) -> None:
        """Raises RunStopped if the run was cancelled, or failed elsewhere."""
        if not Run.objects.active().filter(pk=self.run.pk).exists():
            raise RunStopped(f"run {self.run.pk} was stopped")
