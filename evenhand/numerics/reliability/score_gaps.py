"""Accuracy by the difference between the human scores of the two texts."""

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import share_figures

SCORE_GAP_EDGES = (0.0, 0.1, 0.25, 0.5, 1.0)
"""Edges of the bins of the difference in human scores, as a share of the attribute's range of human scores."""
NO_SUCH_GAP = "no answered comparison is of two texts with such a difference in human scores"
NO_SCORE_GAP = "people gave no human scores, or all are equal"


def accuracy_by_score_gap(comparisons: Comparisons, scores: FloatArray) -> list[Figure]:
    """Return the accuracy of decisions by the size of the difference in human scores, one figure for each bin.

    Ties count 1/2. Pairs with equal human scores do not count. A difference on an edge belongs to the upper bin.
    scores: float, (n_candidates,). Human scores; NaN for none.
    """
    n_bins = len(SCORE_GAP_EDGES) - 1
    known = scores[~np.isnan(scores)]
    extent = float(np.ptp(known)) if len(known) else 0.0
    if extent == 0:
        return [Figure.missing(NO_SCORE_GAP, n=0)] * n_bins
    differences = scores[comparisons.first] - scores[comparisons.second]
    counted = ~np.isnan(differences) & (differences != 0)
    chosen, gaps = comparisons.select(counted), differences[counted]
    credits = 1 - np.abs(decide(chosen.p_first) - (gaps > 0))
    edges = np.round(SCORE_GAP_EDGES[1:-1], 9)
    cells = chosen.contexts * n_bins + np.searchsorted(edges, np.round(np.abs(gaps) / extent, 9), side="right")
    correct, total = (_by_context(cells, weights, comparisons.n_contexts, n_bins) for weights in (credits, None))
    return list(share_figures(correct, total, if_empty=NO_SUCH_GAP))


def _by_context(cells: IntArray, weights: FloatArray | None, n_contexts: int, n_bins: int) -> FloatArray:
    """Sum weights, or count, by context and bin: (n_contexts, n_bins)."""
    return np.bincount(cells, weights, n_contexts * n_bins).astype(np.float64).reshape(n_contexts, n_bins)
