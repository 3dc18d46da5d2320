"""A chunk that this process has leased, with its run, engine, prompt and texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judging.engine import Engine
from judging.models import Lease, Run
from judging.prompting.templates import WordedPrompt
from judging.services.judges.loaded_engine import Pace
from judging.services.plans.question_texts import QuestionTexts


class LeaseLost(Exception):
    """Raised when another worker has claimed the chunk; that worker asks the rest."""


class RunStopped(Exception):
    """Raised when the run was cancelled or failed elsewhere. Stored answers stay."""


@dataclass(frozen=True, slots=True)
class ClaimedChunk:
    """A leased chunk of a run and everything that judging it needs. on_slice: called after each slice is stored."""

    run: Run
    lease: Lease
    engine: Engine
    pace: Pace
    prompt: WordedPrompt
    texts: QuestionTexts
    on_slice: Callable[[], None]

    def end_slice(self) -> None:
        """Finish a slice: call `on_slice`. Raises RunStopped if the run was stopped."""
        self.on_slice()
        self.require_active_run()

    def require_active_run(self) -> None:
        """Raises RunStopped if the run was cancelled or failed elsewhere."""
        if not Run.objects.active().filter(pk=self.run.pk).exists():
            raise RunStopped(f"run {self.run.pk} was stopped")
