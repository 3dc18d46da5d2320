"""Win ratio: the share of a candidate's comparisons that it won [Liusie2024]."""

import numpy as np

from rankings.numerics.arrays import FloatArray, counts, sums
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.decisions import decide
from rankings.numerics.scores import Reason, Scores


def win_ratio(comparisons: Comparisons, *, threshold: float = 0.5) -> Scores:
    """Wins over comparisons, from 0 to 1; a tie is half a win. `threshold` is where a decision turns."""
    return mean_win(comparisons, decide(comparisons.p_first, threshold))


def mean_win(comparisons: Comparisons, first_wins: FloatArray) -> Scores:
    """Each candidate's mean share of a win; first_wins, (n,), is what `first` has of it, in [0, 1]."""
    n = comparisons.n_candidates
    won = sums(comparisons.first, first_wins, n) + sums(comparisons.second, 1 - first_wins, n)
    played = counts(comparisons.first, n) + counts(comparisons.second, n)
    reasons = np.where(played > 0, int(Reason.NONE), int(Reason.NO_COMPARISONS))
    return Scores.without_errors(won / np.maximum(played, 1), reasons)
