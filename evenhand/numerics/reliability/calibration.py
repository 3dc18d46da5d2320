"""Calibration of a judge's probabilities: reliability diagram, calibration error and Brier score."""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.accuracy import NO_TRUTH
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.figure import Figure, IntervalFigure, PlainFigure
from evenhand.numerics.intervals import pooled_mean, pooled_share, statistic_of_sums

EMPTY_BIN = "no comparison that people decided has a p_first in this part"


@dataclass(frozen=True)
class CalibrationBin:
    """The comparisons with a p_first in one part of [0, 1].

    low, high: ends of the part; the last includes 1. mean_p_first: of the judge.
    share_first: share in which people prefer the first, with an interval over contexts; n counts the comparisons.
    """

    low: float
    high: float
    mean_p_first: PlainFigure
    share_first: IntervalFigure


def reliability_diagram(comparisons: Comparisons, right: FloatArray, *, n_bins: int = 10) -> list[CalibrationBin]:
    """Compute the reliability diagram over bins of equal width.

    right: float, (n,), from `human_preferences`; NaN is left out.
    """
    known = _known(comparisons, right)
    contexts, p_first, truth = comparisons.contexts[known], comparisons.p_first[known], right[known]
    at = _bins(p_first, n_bins)
    return [
        CalibrationBin(
            low=number / n_bins,
            high=(number + 1) / n_bins,
            mean_p_first=Figure(float(p_first[inside].mean())) if inside.any() else Figure.missing(EMPTY_BIN),
            share_first=pooled_share(contexts[inside], truth[inside], comparisons.n_contexts, if_empty=EMPTY_BIN),
        )
        for number in range(n_bins)
        for inside in [at == number]
    ]


def calibration_error(comparisons: Comparisons, right: FloatArray, *, n_bins: int = 10) -> Figure:
    """Compute the expected calibration error: mean gap of p_first and human preference over equal bins [Naeini2015].

    The error of a finite sample is biased upwards, and so is its interval over contexts.
    right: float, (n,). 1 or 0 where people prefer the first or second candidate; NaN without a preference.
    """
    known = _known(comparisons, right)
    if not known.any():
        return Figure.missing(NO_TRUTH, n=0)
    contexts, at = comparisons.contexts[known], _bins(comparisons.p_first[known], n_bins)
    cells, n_cells = contexts * n_bins + at, comparisons.n_contexts * n_bins
    gaps = sums(cells, comparisons.p_first[known] - right[known], n_cells).reshape(-1, n_bins)
    sizes = sums(contexts, np.ones(len(contexts)), comparisons.n_contexts)
    parts = np.concatenate([gaps, sizes[:, None]], axis=1)[sizes > 0]
    return statistic_of_sums(
        lambda total: np.abs(total[:, :-1]).sum(axis=1) / total[:, -1],
        parts,
        n=int(known.sum()),
        if_undefined=NO_TRUTH,
    )


def brier_score(comparisons: Comparisons, right: FloatArray) -> Figure:
    """Return the mean squared difference of p_first and human preference [Brier1950].

    0 is perfect; a constant 1/2 gives 1/4. right: as in `calibration_error`.
    """
    squares = np.where(_known(comparisons, right), (comparisons.p_first - right) ** 2, np.nan)
    return pooled_mean(comparisons.contexts, squares, comparisons.n_contexts, if_empty=NO_TRUTH)


def _known(comparisons: Comparisons, right: FloatArray) -> BoolArray:
    """Return True where people have a preference and the judge's p_first is known, (n,)."""
    preferred = ~np.isnan(right)
    return preferred if comparisons.bounded is None else preferred & ~comparisons.bounded


def _bins(p_first: FloatArray, n_bins: int) -> IntArray:
    """Return the bin of each probability, (n,); the last includes 1."""
    return np.minimum((p_first * n_bins).astype(np.intp), n_bins - 1)
