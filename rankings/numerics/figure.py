"""`Figure`: one number of a report, or the reason why there is none."""

from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Figure:
    """A number with what belongs beside it.

    value: the figure, full precision; None where it does not exist.
    low, high: ends of its 95 % interval; None where the figure has no interval.
    n: how many observations it rests on; None where it rests on no count.
    undefined: why value is None or, where there is a value, why low and high are; else None.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    undefined: str | None = None

    @classmethod
    def missing(cls, reason: str, *, n: int | None = None) -> Self:
        """A figure that does not exist, and why."""
        return cls(value=None, n=n, undefined=reason)

    def rest(self) -> "Figure":
        """What is left of a share: 1 minus it, with the ends of its interval swapped."""
        if self.value is None:
            return self
        low = None if self.high is None else 1 - self.high
        high = None if self.low is None else 1 - self.low
        return Figure(1 - self.value, low, high, self.n, self.undefined)
