"""Exceptions of the numerics. Every message is a sentence that pages can show."""


class NumericsError(Exception):
    """Base of all errors of this package."""


class InvalidComparisons(NumericsError, ValueError):
    """The arrays have a wrong shape, range or value."""


class UnknownRanking(NumericsError, ValueError):
    """No ranking has this name."""


class UnknownSelection(NumericsError, ValueError):
    """No selection of pairs has this name."""


class ImpossibleBudget(NumericsError, ValueError):
    """The selection cannot choose this number of comparisons."""


class Undefined(NumericsError):
    """A figure is undefined for these data. The message gives the reason."""

    @property
    def reason(self) -> str:
        return str(self)


class NoComparisons(Undefined):
    """A candidate has no answered comparison, so it has no score."""


class NotConnected(Undefined):
    """The comparisons of a context fall into groups that were never compared with each other."""


class NotConverged(Undefined):
    """An iterative fit stopped before it met its tolerance."""
