"""Joint distribution of a judge's probabilities and differences of human scores [Liusie2024b, appendix C.7]."""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray, counts, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import statistic_of_sums

NO_HUMAN_SCORED_PAIR = "no comparison is of two candidates with human scores"
NO_DIFFERENCES = "all human scores that are compared are equal"
NO_VARIATION = "p_first or the difference of human scores is the same in every comparison"


@dataclass(frozen=True, slots=True, eq=False)
class JointDistribution:
    """Histogram of comparisons over p_first and the difference of human scores.

    p_edges: float, (n_p + 1,). difference_edges: float, (n_d + 1,), symmetric; zero is inside the middle bin.
    counts: int, (n_d, n_p). The last bins include their upper edge.
    mean, deviation: float, (n_p,). Mean and standard deviation of the differences in each bin of p_first; NaN if too
    few.
    """

    p_edges: FloatArray
    difference_edges: FloatArray
    counts: IntArray
    mean: FloatArray
    deviation: FloatArray


def joint_distribution(
    comparisons: Comparisons, human_scores: FloatArray, *, n_p: int = 20, n_differences: int = 21
) -> JointDistribution | None:
    """Compute the histogram with bins of equal width; None if all compared candidates have equal scores.

    human_scores: float, (n_candidates,); NaN if missing. Differences are first minus second.
    n_differences: number of bins of differences, odd.
    """
    p_first, differences, _ = _known(comparisons, human_scores)
    widest = float(np.abs(differences).max(initial=0.0))
    if widest == 0:
        return None
    p_edges = np.arange(n_p + 1) / n_p  # so that 0.3 is on the edge at 0.3
    difference_edges = np.linspace(-widest, widest, n_differences + 1)
    at, row = _bins(p_first, p_edges), _bins(differences, difference_edges)
    histogram = counts(row * n_p + at, n_differences * n_p).reshape(n_differences, n_p)
    sizes, total, squares = (sums(at, values, n_p) for values in (np.ones(len(at)), differences, differences**2))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / sizes
        variance = np.maximum(squares - sizes * mean**2, 0.0) / np.where(sizes > 1, sizes - 1, np.nan)
    return JointDistribution(p_edges, difference_edges, histogram, mean, np.sqrt(variance))


def probability_correlation(comparisons: Comparisons, human_scores: FloatArray) -> Figure:
    """Correlate p_first and the difference of human scores by Pearson, with an interval over contexts."""
    p_first, differences, contexts = _known(comparisons, human_scores)
    if not len(p_first):
        return Figure.missing(NO_HUMAN_SCORED_PAIR, n=0)
    x, y = p_first - p_first.mean(), differences - differences.mean()
    moments = (np.ones(len(x)), x, y, x * x, y * y, x * y)
    parts = np.stack([sums(contexts, moment, comparisons.n_contexts) for moment in moments], axis=1)
    return statistic_of_sums(_correlation, parts[parts[:, 0] > 0], n=len(x), if_undefined=NO_VARIATION)


def _bins(values: FloatArray, edges: FloatArray) -> IntArray:
    """Return the bin of each value, (n,); the last includes its upper edge."""
    return np.minimum(np.searchsorted(edges, values, side="right") - 1, len(edges) - 2)


def _known(comparisons: Comparisons, human_scores: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return p_first, score difference and context of the comparisons with two human scores, all (n,)."""
    comparisons = comparisons.known()
    differences = human_scores[comparisons.first] - human_scores[comparisons.second]
    known = ~np.isnan(differences)
    return comparisons.p_first[known], differences[known], comparisons.contexts[known]


def _correlation(totals: FloatArray) -> FloatArray:
    """Compute the correlation from sums of 1, x, y, xx, yy and xy, (n_samples, 6); NaN without variation."""
    n, x, y, xx, yy, xy = totals.T
    variances = (n * xx - x * x) * (n * yy - y * y)
    varies = variances > 1e-12 * (n * xx) * (n * yy)
    covariance = n * xy - x * y
    return np.where(varies, covariance / np.sqrt(np.where(varies, variances, 1.0)), np.nan)
