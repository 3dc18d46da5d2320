"""What a judge may prefer beside quality: longer texts, or texts of its own kind."""

from dataclasses import dataclass

import numpy as np

from rankings.numerics.accuracy import context_credits
from rankings.numerics.arrays import BoolArray, FloatArray, IntArray
from rankings.numerics.comparisons import Comparisons, decide
from rankings.numerics.figure import Figure
from rankings.numerics.intervals import ratio, ratios

GAP_EDGES = (0.0, 0.1, 0.25, 0.5, 1.0)
"""Where the bins of the relative difference in length begin and end; a difference on an edge is in the upper bin."""
NONE_SO_LONG = "of texts of such lengths, no comparison is of a pair on which people prefer one"
_N_BINS = len(GAP_EDGES) - 1
_EQUAL, _LONGER, _SHORTER = range(3)


@dataclass(frozen=True, slots=True)
class LengthAccuracy:
    """Accuracy where people prefer the longer text, where they prefer the shorter, and by how far lengths differ.

    by_gap: one figure for each bin of `GAP_EDGES`.
    """

    longer_right: Figure
    shorter_right: Figure
    by_gap: tuple[Figure, ...]


def longer(comparisons: Comparisons, lengths: IntArray) -> FloatArray:
    """Where the longer text stands, (n,): 1 if it is `first`, 0 if `second`, NaN where both are of one length.

    lengths: int, (n_candidates,). Characters.
    """
    first, second = lengths[comparisons.first], lengths[comparisons.second]
    return np.where(first > second, 1.0, np.where(first < second, 0.0, np.nan))


def own(comparisons: Comparisons, is_own: BoolArray) -> FloatArray:
    """Where the text of the judge's own kind stands, (n,): 1 if it is `first`, 0 if `second`, NaN unless one is.

    is_own: bool, (n_candidates,).
    """
    first, second = is_own[comparisons.first], is_own[comparisons.second]
    return np.where(first == second, np.nan, first.astype(np.float64))


def preference(
    comparisons: Comparisons, favoured: FloatArray, decisions: FloatArray | None = None, *, if_empty: str
) -> Figure:
    """Share of decisions for the favoured side, a tie counting 1/2.

    favoured: float, (n,). 1 for `first`, 0 for `second`, NaN where the comparison does not count.
    decisions: float, (n,), 0, 1/2 or 1, or NaN for none; left out, p_first against 1/2.
    """
    counted = favoured if decisions is None else np.where(np.isnan(decisions), np.nan, favoured)
    for_favoured, total = context_credits(comparisons, counted, decisions)
    return ratio(for_favoured, total, if_empty=if_empty)


def accuracy_by_length(comparisons: Comparisons, right: FloatArray, lengths: IntArray) -> LengthAccuracy:
    """Accuracy, split by the lengths of the two texts. right: float, (n,), from `truth`."""
    known = ~np.isnan(right)
    compared, truths = comparisons.select(known), right[known]
    credits = 1 - np.abs(decide(compared.p_first) - truths)
    long = longer(compared, lengths)
    side = np.where(np.isnan(long), _EQUAL, np.where(long == truths, _LONGER, _SHORTER))
    cells = (compared.contexts * 3 + side) * _N_BINS + _gap_bins(compared, lengths)
    shape = (comparisons.n_contexts, 3, _N_BINS)
    correct, counted = (
        np.bincount(cells, weights, int(np.prod(shape))).astype(np.float64).reshape(shape)
        for weights in (credits, None)
    )
    shares = ratios(_groups(correct), _groups(counted), if_empty=NONE_SO_LONG)
    return LengthAccuracy(shares[0], shares[1], tuple(shares[2:]))


def _gap_bins(comparisons: Comparisons, lengths: IntArray) -> IntArray:
    """The bin of each comparison's difference in length, as a share of the longer text, (n,)."""
    first, second = lengths[comparisons.first], lengths[comparisons.second]
    gaps = np.abs(first - second) / np.maximum(np.maximum(first, second), 1)
    return np.searchsorted(GAP_EDGES[1:-1], gaps, side="right")


def _groups(cells: FloatArray) -> FloatArray:
    """By context, side and bin, to longer right, shorter right, and each bin: (n_contexts, 2 + _N_BINS)."""
    by_side, by_bin = cells.sum(axis=2), cells.sum(axis=1)
    return np.hstack([by_side[:, [_LONGER, _SHORTER]], by_bin])
