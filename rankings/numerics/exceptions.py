"""What can go wrong in the numerics. Every message is a plain sentence, fit to be printed on a page."""


class NumericsError(Exception):
    """Base of all errors of this package."""


class InvalidComparisons(NumericsError, ValueError):
    """The arrays handed over do not describe comparisons: wrong shape, range or value."""


class UnknownRanking(NumericsError, ValueError):
    """No ranking has this name."""


class UnknownSelection(NumericsError, ValueError):
    """No selection of pairs has this name."""


class ImpossibleBudget(NumericsError, ValueError):
    """So many comparisons cannot be chosen under this selection."""


class Undefined(NumericsError):
    """A figure does not exist for these data. The message says why."""

    @property
    def reason(self) -> str:
        return str(self)


class NoComparisons(Undefined):
    """A candidate has no answered comparison, so it has no score."""


class NotConnected(Undefined):
    """The comparisons of a context fall into groups that were never compared with each other."""


class NotConverged(Undefined):
    """An iterative fit stopped before it met its tolerance."""
