"""What can go wrong when something is asked of judging."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Refused(Exception):
    """The input is bad: nothing was stored. `problems` has one line each: where, the value, what to do."""

    def __init__(self, *problems: str) -> None:
        self.problems: Sequence[str] = problems
        super().__init__("\n".join(problems))


class Refusals:
    """Collects what several steps refuse, so that all of it is told in one go."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def of(self, step: Callable[[], T]) -> T | None:
        """What the step gives; None where it refuses, and its problems are kept."""
        try:
            return step()
        except Refused as refusal:
            self.problems += refusal.problems
            return None

    def raise_if_any(self) -> None:
        """Raise Refused with every problem kept, each once."""
        if self.problems:
            raise Refused(*dict.fromkeys(self.problems))
