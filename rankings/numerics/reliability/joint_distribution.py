"""How a judge's probabilities go with differences of human scores, jointly [Liusie2024b, appendix C.7]."""

from dataclasses import dataclass

import numpy as np

from rankings.numerics.arrays import FloatArray, IntArray, counts, sums
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.figure import Figure
from rankings.numerics.intervals import statistic_of_sums

NO_HUMAN_SCORED_PAIR = "no comparison is of two candidates with human scores"
NO_DIFFERENCES = "all human scores that are compared are equal"
NO_VARIATION = "p_first or the difference of human scores is the same in every comparison"


@dataclass(frozen=True, slots=True, eq=False)
class JointDistribution:
    """How many comparisons have a p_first in one part of [0, 1] and a difference of scores in one part of its range.

    p_edges: float, (n_p + 1,). difference_edges: float, (n_d + 1,), symmetric; no difference is amid the middle part.
    counts: int, (n_d, n_p). Both last parts include their upper edge.
    mean, deviation: float, (n_p,). Of the differences at each p_first; NaN where there are too few.
    """

    p_edges: FloatArray
    difference_edges: FloatArray
    counts: IntArray
    mean: FloatArray
    deviation: FloatArray


def joint_distribution(
    comparisons: Comparisons, human_scores: FloatArray, *, n_p: int = 20, n_differences: int = 21
) -> JointDistribution | None:
    """The distribution over parts of equal width; None where no two compared candidates have scores that differ.

    human_scores: float, (n_candidates,), NaN where there is none. Differences are the first's minus the second's.
    n_differences: an odd number.
    """
    p_first, differences, _ = _known(comparisons, human_scores)
    widest = float(np.abs(differences).max(initial=0.0))
    if widest == 0:
        return None
    p_edges = np.arange(n_p + 1) / n_p  # so that 0.3 is on the edge at 0.3
    difference_edges = np.linspace(-widest, widest, n_differences + 1)
    at, row = _places(p_first, p_edges), _places(differences, difference_edges)
    histogram = counts(row * n_p + at, n_differences * n_p).reshape(n_differences, n_p)
    sizes, total, squares = (sums(at, values, n_p) for values in (np.ones(len(at)), differences, differences**2))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / sizes
        variance = np.maximum(squares - sizes * mean**2, 0.0) / np.where(sizes > 1, sizes - 1, np.nan)
    return JointDistribution(p_edges, difference_edges, histogram, mean, np.sqrt(variance))


def probability_correlation(comparisons: Comparisons, human_scores: FloatArray) -> Figure:
    """Pearson's correlation of p_first with the difference of human scores, with an interval over contexts."""
    p_first, differences, contexts = _known(comparisons, human_scores)
    if not len(p_first):
        return Figure.missing(NO_HUMAN_SCORED_PAIR, n=0)
    x, y = p_first - p_first.mean(), differences - differences.mean()
    moments = (np.ones(len(x)), x, y, x * x, y * y, x * y)
    parts = np.stack([sums(contexts, moment, comparisons.n_contexts) for moment in moments], axis=1)
    return statistic_of_sums(_correlation, parts[parts[:, 0] > 0], n=len(x), if_undefined=NO_VARIATION)


def _places(values: FloatArray, edges: FloatArray) -> IntArray:
    """The part of each value, (n,); the last part includes its upper edge."""
    return np.minimum(np.searchsorted(edges, values, side="right") - 1, len(edges) - 2)


def _known(comparisons: Comparisons, human_scores: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """p_first, difference of scores and context of the comparisons whose candidates both have a score, all (n,)."""
    differences = human_scores[comparisons.first] - human_scores[comparisons.second]
    known = ~np.isnan(differences)
    return comparisons.p_first[known], differences[known], comparisons.contexts[known]


def _correlation(totals: FloatArray) -> FloatArray:
    """From sums of 1, x, y, xx, yy and xy, (n_samples, 6); NaN without variation."""
    n, x, y, xx, yy, xy = totals.T
    variances = (n * xx - x * x) * (n * yy - y * y)
    varies = variances > 1e-12 * (n * xx) * (n * yy)
    covariance = n * xy - x * y
    return np.where(varies, covariance / np.sqrt(np.where(varies, variances, 1.0)), np.nan)
