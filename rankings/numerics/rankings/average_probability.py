"""Average probability: the mean probability that a candidate is the better one [Liusie2024]."""

from rankings.numerics.comparisons import Comparisons
from rankings.numerics.rankings.win_ratio import mean_win
from rankings.numerics.scores import Scores


def average_probability(comparisons: Comparisons) -> Scores:
    """Mean over a candidate's comparisons of its probability of being better, from 0 to 1."""
    return mean_win(comparisons, comparisons.p_first)
