"""How far thinking moved the probabilities of a judge."""

import numpy as np

from rankings.numerics.arrays import FloatArray
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.figure import Figure
from rankings.numerics.intervals import pooled_mean

NOT_KNOWN_BEFORE = "no comparison has a P(first) both with and without thinking"


def thinking_shift(comparisons: Comparisons, before: FloatArray) -> Figure:
    """Return the mean absolute difference between p_first after thinking and without it.

    before: float, (n,). p_first without thinking; NaN where it is not known.
    """
    return _mean_of_known(comparisons, before, np.abs(comparisons.p_first - before))


def thinking_flips(comparisons: Comparisons, before: FloatArray) -> Figure:
    """Return the share of comparisons that thinking decides differently. A tie differs from both sides.

    before: as for `thinking_shift`.
    """
    flipped = np.sign(comparisons.p_first - 0.5) != np.sign(before - 0.5)
    return _mean_of_known(comparisons, before, flipped.astype(np.float64))


def _mean_of_known(comparisons: Comparisons, before: FloatArray, values: FloatArray) -> Figure:
    known = ~np.isnan(before)
    return pooled_mean(comparisons.contexts[known], values[known], comparisons.n_contexts, if_empty=NOT_KNOWN_BEFORE)
