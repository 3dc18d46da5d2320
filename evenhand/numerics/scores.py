"""`Scores`: the result of every ranking."""

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Self

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.exceptions import Undefined

DECIMALS = 9
"""Decimals to which scores are rounded before they are ranked or compared, so that solver noise breaks no tie."""
_NOISE_DECIMALS = 3
"""Further decimals that are free of solver noise."""


class Reason(enum.IntEnum):
    """Reason why a number is missing. `sentence` is the text for pages."""

    sentence: str

    NONE = 0
    NO_COMPARISONS = 1, "the candidate has no answered comparison"
    NOT_CONNECTED = 2, "the comparisons of this context do not connect all its compared candidates"
    NOT_CONVERGED = 3, "the fit of this context did not converge"
    NO_STANDARD_ERROR = 4, "this ranking has no standard error"
    TOO_FEW_COMPARISONS = 5, "the context has fewer comparisons than compared candidates"
    TOO_MANY_CANDIDATES = 6, "the context has too many candidates for this ranking"
    TOO_MANY_FOR_ERRORS = 7, "the context has too many candidates for standard errors"
    NO_SCORE = 8, "the candidate has no score"
    NO_MAXIMUM = 9, "some candidates of this context never lose to the others, so no finite scores are the best"
    OPEN_SCORE = 10, "the answers leave this score so open that its standard error cannot be computed"

    def __new__(cls, value: int, sentence: str = "") -> Self:
        member = int.__new__(cls, value)
        member._value_, member.sentence = value, sentence
        return member


@dataclass(frozen=True, slots=True, eq=False)
class StandardErrors:
    """Standard errors of scores.

    values: float, (n_candidates,). Meaningless (0) where reasons is not NONE.
    reasons: int, (n_candidates,). `Reason` of each missing standard error.
    """

    values: FloatArray
    reasons: IntArray

    @classmethod
    def none(cls, reasons: IntArray) -> Self:
        """Return no standard errors, for rankings without them. reasons: `Reason` of each missing score."""
        return cls(np.zeros(len(reasons)), np.where(reasons == Reason.NONE, Reason.NO_STANDARD_ERROR, reasons))


@dataclass(frozen=True, eq=False)
class Scores:
    """One score per candidate, higher is better, or the reason why it is missing.

    values: float, (n_candidates,). NaN where reasons is not NONE.
    reasons: int, (n_candidates,). `Reason` of each missing score.
    compute_errors: computes the standard errors on first use, because most figures need none.
    """

    values: FloatArray
    reasons: IntArray
    compute_errors: Callable[[], StandardErrors] = field(repr=False)

    def __post_init__(self) -> None:
        if not self.defined.all():
            object.__setattr__(self, "values", np.where(self.defined, self.values, np.nan))

    @classmethod
    def without_errors(cls, values: FloatArray, reasons: IntArray) -> Self:
        """Return the scores of a ranking without standard errors."""
        return cls(values, reasons, partial(StandardErrors.none, reasons))

    @classmethod
    def of_values(cls, values: FloatArray) -> Self:
        """Return the scores of a metric or pointwise judge, (n_candidates,); NaN for missing ones."""
        reasons = np.where(np.isnan(values), int(Reason.NO_SCORE), int(Reason.NONE))
        return cls.without_errors(values, reasons)

    @property
    def defined(self) -> BoolArray:
        """True for candidates with a score, (n_candidates,)."""
        return self.reasons == Reason.NONE

    @cached_property
    def _errors(self) -> StandardErrors:
        return self.compute_errors()

    @property
    def errors(self) -> FloatArray:
        """Standard errors, (n_candidates,), meaningless (0) where error_reasons is not NONE."""
        return self._errors.values

    @property
    def error_reasons(self) -> IntArray:
        """`Reason` of each missing standard error, (n_candidates,)."""
        return self._errors.reasons

    @property
    def errors_defined(self) -> BoolArray:
        """True for candidates with a standard error, (n_candidates,)."""
        return self.error_reasons == Reason.NONE

    def why(self, candidate: int) -> str | None:
        """Return the reason why a candidate has no score; None if it has one."""
        return Reason(self.reasons[candidate]).sentence or None

    def why_no_error(self, candidate: int) -> str | None:
        """Return the reason why a candidate has no standard error; None if it has one."""
        return Reason(self.error_reasons[candidate]).sentence or None

    def complete(self) -> FloatArray:
        """Return the scores of all candidates. Raises Undefined if any candidate has none."""
        if self.defined.all():
            return self.values
        candidate = int(np.argmin(self.defined))
        raise Undefined(f"candidate {candidate} has no score: {self.why(candidate)}")


def rounded(values: FloatArray) -> FloatArray:
    """Round scores to DECIMALS, as they are ranked and compared."""
    return rounded_units(values) / 10.0**DECIMALS


def rounded_units(values: FloatArray) -> FloatArray:
    """Round scores to whole multiples of the last decimal.

    Scores of halves and quarters often lie exactly between two multiples. Noise is rounded away first, so that it
    cannot decide which one is nearer.
    """
    return np.rint(np.rint(values * 10.0 ** (DECIMALS + _NOISE_DECIMALS)) / 10.0**_NOISE_DECIMALS)
