"""Exceptions of the numerics. Every message is a sentence that pages can show."""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class InvalidComparisons(ValueError):
    """The arrays have a wrong shape, range or value."""


class UnknownRanking(ValueError):
    """No ranking has this name."""


class UnknownSelection(ValueError):
    """No selection of pairs has this name."""


class ImpossibleBudget(ValueError):
    """The selection cannot choose this number of comparisons."""


class Undefined(Exception):
    """A figure is undefined for these data. The message gives the reason."""

    @property
    def reason(self) -> str:
        return str(self)


class NotConnected(Undefined):
    """The comparisons of a context fall into groups that were never compared with each other."""


class NotConverged(Undefined):
    """An iterative fit stopped before it met its tolerance."""


def value_or_why(compute: Callable[[], T]) -> T | str:
    """Return what a function computes, or the reason why it is undefined."""
    try:
        return compute()
    except Undefined as undefined:
        return undefined.reason
