"""Accuracies on kinds of contexts, each against all others, with Holm's correction [Holm1979]."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.special import stdtr

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.figure import Figure, IntervalFigure
from evenhand.numerics.intervals import GUARD_OF_DIFFERENCES, Spread, least_contexts, share_figures, student_quantile
from evenhand.numerics.resampling import RESAMPLING_SEED
from evenhand.numerics.significance.families import LEVEL_OF_TEST, holm_adjusted
from evenhand.report_json import Help

PERMUTATIONS = 10_000
MOST_PERMUTED = 1_000
"""Contexts. With more, p-values are by Student's t, which is as close as so many permutations."""
NO_OTHER_KIND = "no other kind counts"
_CHUNK_ELEMENTS = 1 << 18
_ROUNDING = 1e-9


@dataclass(frozen=True)
class KindAccuracy:
    """Accuracy on one kind of contexts. contexts: those that count.

    difference: from the accuracy on all other kinds, with its 95 % interval; n is the contexts of the kind.
    p_value: two-sided, of no difference. p_value_holm: adjusted over all kinds; two kinds are one test.
    needed: contexts in all, in the same shares, that would find the difference if it stayed, with the 5 % shared by all
    tests. None where the adjusted test finds it, and where it is 0 or has no interval.
    """

    contexts: Annotated[int, Help("Contexts with a comparison that counts.")]
    accuracy: IntervalFigure
    difference: Annotated[IntervalFigure, Help("From the accuracy on all other kinds.")]
    p_value: float | None = None
    p_value_holm: float | None = None
    needed: Annotated[int | None, Help("Contexts in all that would find the difference, if it stayed.")] = None


def kind_accuracies(
    correct: FloatArray, counted: FloatArray, kinds: IntArray, n_kinds: int, *, if_empty: str
) -> list[KindAccuracy]:
    """Compare each kind with all others. Contexts weigh as many comparisons as they have.

    Intervals are Welch's. P-values are shares of random assignments of the kinds to the contexts whose t is as large.

    correct, counted: float, (n_contexts,), from `context_credits`. kinds: int, (n_contexts,); -1 for none.
    if_empty: reason where no comparison counts.
    """
    chosen = (kinds >= 0) & (counted > 0)
    correct, counted, kinds = correct[chosen], counted[chosen], kinds[chosen]
    member = kinds[:, None] == np.arange(n_kinds)
    own, rest = (
        Spread.of(correct[:, None] * some, counted[:, None] * some, GUARD_OF_DIFFERENCES) for some in (member, ~member)
    )
    accuracies = share_figures(correct[:, None] * member, counted[:, None] * member, if_empty=if_empty)
    welch = _Welch.of(own, rest)
    p_values = _permuted(correct, counted, kinds, welch.known) if len(kinds) <= MOST_PERMUTED else welch.p_values
    adjusted, tests = np.full(n_kinds, np.nan), int(welch.known.sum())
    if np.count_nonzero(own.contexts) == 2:
        adjusted, tests = p_values, 1
    else:
        adjusted[welch.known] = holm_adjusted(p_values[welch.known])
    size = _Size(len(kinds), tests)
    return [
        _tested(welch, kind, accuracies[kind], float(p_values[kind]), float(adjusted[kind]), size)
        if welch.known[kind]
        else KindAccuracy(int(own.contexts[kind]), accuracies[kind], _untested(kind, accuracies[kind], own, rest))
        for kind in range(n_kinds)
    ]


@dataclass(frozen=True, slots=True)
class _Size:
    """Contexts of all kinds, and the tests of them."""

    contexts: int
    tests: int


@dataclass(frozen=True, slots=True, eq=False)
class _Welch:
    """Differences of kinds from all others, all (n_kinds,). known: where both sides have an interval."""

    contexts: IntArray
    gaps: FloatArray
    variances: FloatArray
    degrees: FloatArray
    known: BoolArray

    @classmethod
    def of(cls, own: Spread, rest: Spread) -> "_Welch":
        variances = own.variances + rest.variances
        parts = [one.variances**2 / (one.effective - 1) for one in (own, rest)]
        with np.errstate(invalid="ignore", divide="ignore"):
            degrees = variances**2 / (parts[0] + parts[1])
        return cls(own.contexts, own.values - rest.values, variances, degrees, own.is_known & rest.is_known)

    @property
    def p_values(self) -> FloatArray:
        return np.asarray(2 * stdtr(self.degrees, -np.abs(self.gaps) / np.sqrt(self.variances)))


def _tested(welch: _Welch, kind: int, accuracy: Figure, p_value: float, adjusted: float, size: _Size) -> KindAccuracy:
    gap, variance = float(welch.gaps[kind]), float(welch.variances[kind])
    half, n = float(student_quantile(welch.degrees[kind])) * variance**0.5, int(welch.contexts[kind])
    difference = Figure(gap, max(gap - half, -1.0), min(gap + half, 1.0), n)
    needed = None if adjusted < LEVEL_OF_TEST else least_contexts(abs(gap), variance * size.contexts, size.tests)
    return KindAccuracy(n, accuracy, difference, p_value, adjusted, needed)


def _untested(kind: int, accuracy: Figure, own: Spread, rest: Spread) -> Figure:
    n, value = int(own.contexts[kind]), float(own.values[kind] - rest.values[kind])
    if np.isnan(value):
        return Figure.missing(accuracy.undefined or NO_OTHER_KIND, n=n)
    return Figure(value, n=n, undefined=own.why_not()[kind] or f"on the other kinds, {rest.why_not()[kind]}")


def _permuted(correct: FloatArray, counted: FloatArray, kinds: IntArray, known: BoolArray) -> FloatArray:
    """Return the p-value of each kind, (n_kinds,), under random assignments of the kinds, the observed one included."""
    columns = np.stack([correct, counted, correct**2, correct * counted, counted**2], axis=1)
    totals, rng, as_large = columns.sum(axis=0), np.random.default_rng(RESAMPLING_SEED), np.ones(len(known))
    observed = np.array([_t(columns[kinds == kind].sum(axis=0), totals) for kind in range(len(known))])
    at_once = max(1, _CHUNK_ELEMENTS // max(1, len(kinds)))
    for done in range(1, PERMUTATIONS, at_once):
        drawn = rng.permuted(np.tile(kinds, (min(at_once, PERMUTATIONS - done), 1)), axis=1)
        for kind in np.flatnonzero(known):
            t = _t((drawn == kind).astype(np.float64) @ columns, totals)
            as_large[kind] += np.count_nonzero(np.nan_to_num(t, nan=np.inf) >= observed[kind] - _ROUNDING)
    return as_large / PERMUTATIONS


def _t(own: FloatArray, totals: FloatArray) -> FloatArray:
    """Return |t| of the difference of two ratios, (…,). own, totals: sums of x, n, x², xn and n², (…, 5)."""
    (value, variance), (other, more) = (_ratio(sums) for sums in (own, totals - own))
    return np.asarray(np.abs(value - other) / np.sqrt(variance + more))


def _ratio(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Σx / Σn and its variance, as `Spread` does; NaN where one context has all the weight."""
    x, n, xx, xn, nn = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        value, effective = x / n, n**2 / nn
        squares = np.maximum(xx - 2 * value * xn + value**2 * nn, 0) + GUARD_OF_DIFFERENCES
        return value, np.where(effective > 1, effective / (effective - 1), np.nan) * squares / n**2
