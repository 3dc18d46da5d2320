"""Errors for input that is refused."""

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import TypeVar

T = TypeVar("T")


class Refused(Exception):
    """Raised for bad input; nothing was stored. `problems` has one line each: field, value, what to do.

    more: number of further problems, which are counted but not listed.
    """

    def __init__(self, *problems: str, more: int = 0) -> None:
        self.problems: Sequence[str] = problems
        self.more = more
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


def raise_if_any(problems: Iterable[str]) -> None:
    """Raise Refused with these problems, unless there are none."""
    if found := list(problems):
        raise Refused(*found)


def unknown_choice(field: str, value: str, choices: Iterable[str]) -> str:
    """Return the problem of a value that is none of the choices."""
    return f'{field}: "{value}" is unknown{did_you_mean(value, choices)}; choose one of: {", ".join(choices)}'


def not_free(name: str) -> str:
    """Return the problem of a name that is taken by something of the person, or that they may see."""
    return f'name: "{name}" is not free — choose another name'


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ` (did you mean "…"?)` with the known name most like a misspelt one; empty if none is like it."""
    by_lower_case = {one.lower(): one for one in known}
    similar = get_close_matches(name.lower(), by_lower_case, n=1, cutoff=0.7)
    return f' (did you mean "{by_lower_case[similar[0]]}"?)' if similar else ""
