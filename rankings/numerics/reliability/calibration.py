"""Calibration of a judge's probabilities: reliability diagram, calibration error and Brier score."""

from dataclasses import dataclass

import numpy as np

from rankings.numerics.accuracy import NO_TRUTH
from rankings.numerics.arrays import FloatArray, IntArray, sums
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.figure import Figure
from rankings.numerics.intervals import context_sums, ratio_figure, statistic_of_sums

EMPTY_BIN = "no comparison that people decided has a p_first in this part"


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Comparisons whose p_first lies in one part of [0, 1].

    low, high: ends of the bin; the last includes 1. n: comparisons in it.
    mean_p_first: the judge's mean probability; None if n is 0.
    share_first: share in which people prefer the first, with an interval over contexts.
    """

    low: float
    high: float
    n: int
    mean_p_first: float | None
    share_first: Figure


def reliability_diagram(comparisons: Comparisons, right: FloatArray, *, n_bins: int = 10) -> list[ReliabilityBin]:
    """Compute the reliability diagram over bins of equal width.

    right: float, (n,), from `human_preferences`; NaN is left out.
    """
    known = ~np.isnan(right)
    contexts, p_first, truth = comparisons.contexts[known], comparisons.p_first[known], right[known]
    at = _bins(p_first, n_bins)
    return [
        ReliabilityBin(
            low=number / n_bins,
            high=(number + 1) / n_bins,
            n=int(inside.sum()),
            mean_p_first=float(p_first[inside].mean()) if inside.any() else None,
            share_first=_share(contexts[inside], truth[inside], comparisons.n_contexts),
        )
        for number in range(n_bins)
        for inside in [at == number]
    ]


def calibration_error(comparisons: Comparisons, right: FloatArray, *, n_bins: int = 10) -> Figure:
    """Expected calibration error [Naeini2015]: mean gap between p_first and what people say, over bins of equal width.

    With an interval over contexts. The error of a finite sample is biased upwards, so its interval is too.
    """
    known = ~np.isnan(right)
    if not known.any():
        return Figure.missing(NO_TRUTH, n=0)
    contexts, at = comparisons.contexts[known], _bins(comparisons.p_first[known], n_bins)
    cells, n_cells = contexts * n_bins + at, comparisons.n_contexts * n_bins
    gaps = sums(cells, comparisons.p_first[known] - right[known], n_cells).reshape(-1, n_bins)
    sizes = context_sums(contexts, np.ones(len(contexts)), comparisons.n_contexts)
    parts = np.concatenate([gaps, sizes[:, None]], axis=1)[sizes > 0]
    return statistic_of_sums(
        lambda total: np.abs(total[:, :-1]).sum(axis=1) / total[:, -1],
        parts,
        n=int(known.sum()),
        if_undefined=NO_TRUTH,
    )


def brier_score(comparisons: Comparisons, right: FloatArray) -> Figure:
    """Mean squared difference of p_first and what people say [Brier1950]: 0 is perfect, always saying 1/2 gives 1/4."""
    known = ~np.isnan(right)
    contexts, n = comparisons.contexts[known], comparisons.n_contexts
    squares = (comparisons.p_first[known] - right[known]) ** 2
    return ratio_figure(
        context_sums(contexts, squares, n), context_sums(contexts, np.ones(len(squares)), n), if_empty=NO_TRUTH
    )


def _share(contexts: IntArray, truth: FloatArray, n_contexts: int) -> Figure:
    """The share of ones, with an interval over contexts."""
    sizes = context_sums(contexts, np.ones(len(truth)), n_contexts)
    return ratio_figure(context_sums(contexts, truth, n_contexts), sizes, if_empty=EMPTY_BIN)


def _bins(p_first: FloatArray, n_bins: int) -> IntArray:
    return np.minimum((p_first * n_bins).astype(np.intp), n_bins - 1)
