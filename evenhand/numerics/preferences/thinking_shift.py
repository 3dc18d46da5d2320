"""How far thinking moved the answers of a judge."""

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import pooled_mean, pooled_share

NOT_KNOWN_BEFORE = "no comparison has a p_first both with and without thinking"
NO_SCORE_BEFORE = "no candidate has a score both with and without thinking"


def thinking_shift(comparisons: Comparisons, before: FloatArray) -> Figure:
    """Return the mean absolute difference between p_first after thinking and without it.

    before: float, (n,). p_first without thinking; NaN where it is not known.
    """
    shift = np.abs(comparisons.p_first - before)
    known = shift if comparisons.bounded is None else np.where(comparisons.bounded, np.nan, shift)
    return pooled_mean(comparisons.contexts, known, comparisons.n_contexts, if_empty=NOT_KNOWN_BEFORE)


def thinking_flips(comparisons: Comparisons, before: FloatArray) -> Figure:
    """Return the share of comparisons that thinking decides differently. A tie differs from both sides.

    before: as for `thinking_shift`.
    """
    flipped = np.where(np.isnan(before), np.nan, np.sign(comparisons.p_first - 0.5) != np.sign(before - 0.5))
    return pooled_share(comparisons.contexts, flipped, comparisons.n_contexts, if_empty=NOT_KNOWN_BEFORE)


def score_shift(contexts: IntArray, scores: FloatArray, before: FloatArray, n_contexts: int) -> Figure:
    """Return the mean absolute difference between scores after thinking and without it, in points of their scale.

    contexts: int, (n,). Context of each candidate. scores, before: float, (n,). NaN where missing.
    """
    return pooled_mean(contexts, np.abs(scores - before), n_contexts, if_empty=NO_SCORE_BEFORE)
