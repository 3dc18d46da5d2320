"""`Figure`: one number of a report, or the reason why it is undefined."""

from dataclasses import dataclass
from typing import Annotated, Self

from evenhand.report_json import Carries


@dataclass(frozen=True)
class Figure:
    """A number with its interval and number of observations.

    value: the number at full precision; None if it is undefined.
    low, high: ends of its 95 % interval; None if it has no interval.
    n: number of observations; None if the figure is not computed from observations.
    undefined: reason why value, low or high is None; else None.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    undefined: str | None = None

    @classmethod
    def missing(cls, reason: str, *, n: int | None = None) -> Self:
        """Return an undefined figure with its reason."""
        return cls(value=None, n=n, undefined=reason)

    def complete(self, low: float, high: float) -> None:
        """Set the ends of an interval that is computed after the figure, together with those of other figures."""
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def give_up(self, reason: str) -> None:
        """Set the reason why the interval, which was to be computed after the figure, is undefined."""
        object.__setattr__(self, "undefined", reason)

    def complement(self) -> "Figure":
        """Return the complement of a share: 1 minus the value, with the interval's ends swapped."""
        if self.value is None:
            return self
        low = None if self.high is None else 1 - self.high
        high = None if self.low is None else 1 - self.low
        return Figure(1 - self.value, low, high, self.n, self.undefined)


PlainFigure = Annotated[Figure, Carries()]
"""As a field of a report: what is written after its value."""
CountedFigure = Annotated[Figure, Carries(("n",))]
IntervalFigure = Annotated[Figure, Carries(("low", "high", "n"))]


@dataclass(frozen=True)
class MeanFigure(Figure):
    """The mean of a figure over several runs, without an interval; or the figure of one run.

    sd: sample standard deviation over the runs; None for one run.
    """

    sd: float | None = None


@dataclass(frozen=True)
class FigureOver(Figure):
    """A figure whose n counts something else than answers. counted: one and several, as ("person", "people")."""

    counted: tuple[str, str] = ("", "")

    @classmethod
    def people(cls, figure: Figure) -> Self:
        """Return a mean over people. n: of the figure, their number."""
        return cls(figure.value, figure.low, figure.high, figure.n, figure.undefined, ("person", "people"))


def defined(number: float | None) -> float:
    """Return a number that exists. Raises ValueError where it is undefined."""
    if number is None:
        raise ValueError("the number is undefined")
    return number
