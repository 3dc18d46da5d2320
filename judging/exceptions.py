"""Errors for input that is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Refused(Exception):
    """Raised for bad input; nothing was stored. `problems` has one line each: field, value, what to do."""

    def __init__(self, *problems: str) -> None:
        self.problems: Sequence[str] = problems
        super().__init__("\n".join(problems))


class Refusals:
    """Collects the problems of several steps, to report them all at once."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def of(self, step: Callable[[], T]) -> T | None:
        """Return the result of a step; if it raises Refused, keep its problems and return None."""
        try:
            return step()
        except Refused as refusal:
            self.problems += refusal.problems
            return None

    def raise_if_any(self) -> None:
        """Raise Refused with all collected problems, each once."""
        if self.problems:
            raise Refused(*dict.fromkeys(self.problems))
