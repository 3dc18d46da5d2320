"""Win ratio and average probability: mean shares of a win over a candidate's comparisons [Liusie2024]."""

import numpy as np

from evenhand.numerics.arrays import FloatArray, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.scores import Reason, Scores


def win_ratio(comparisons: Comparisons, *, threshold: float = 0.5) -> Scores:
    """Return wins over comparisons, from 0 to 1. A tie is half a win. `first` wins if p_first is above `threshold`."""
    return _mean_wins(comparisons, decide(comparisons.p_first, threshold))


def average_probability(comparisons: Comparisons) -> Scores:
    """Return each candidate's mean probability of being better, from 0 to 1 [Liusie2024]."""
    return _mean_wins(comparisons, comparisons.p_first)


def _mean_wins(comparisons: Comparisons, first_wins: FloatArray) -> Scores:
    """Return each candidate's mean share of a win. first_wins: float, (n,), in [0, 1]. Share of the first candidate."""
    n = comparisons.n_candidates
    won = sums(comparisons.first, first_wins, n) + sums(comparisons.second, 1 - first_wins, n)
    reasons = np.where(comparisons.compared, int(Reason.NONE), int(Reason.NO_COMPARISONS))
    return Scores.without_errors(won / np.maximum(comparisons.played, 1), reasons)
