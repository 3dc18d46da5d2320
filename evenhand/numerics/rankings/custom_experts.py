"""Products of experts with any expert: a log-density of the difference of two scores, given p_first [Liusie2024b].

`product_of_experts.py` has fast special solutions for the two experts of the reports; this is their open form.
"""

from collections.abc import Callable

import numpy as np
import scipy

from evenhand.numerics.arrays import FloatArray, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import NotConnected, NotConverged
from evenhand.numerics.fitting.batches import connected_contexts

LogDensity = Callable[[FloatArray, FloatArray], FloatArray]
"""Takes differences of scores and probabilities, both (n,). Returns log-densities up to constants, (n,)."""

LARGEST_FIT_ERROR = 1e-6
"""Scores of these fits are at most this far from the maximum."""
_STEP = 1e-5
_FARTHEST = 1e4
"""Scores beyond this are on their way to infinity, and too coarse for the steps of the derivative."""


def expert_scores(comparisons: Comparisons, log_density: LogDensity) -> FloatArray:
    """The scores of one context that maximise the sum of the experts' log-densities, (n_candidates,), mean zero.

    Where a log-density is not concave, this is a maximum near zero, which may not be the highest.

    Raises NotConnected where the comparisons do not connect all candidates, and NotConverged.
    """
    if not comparisons.compared.all() or not connected_contexts(comparisons).all():
        raise NotConnected("the comparisons of this context do not connect all its candidates")

    def loss(scores: FloatArray) -> tuple[float, FloatArray]:
        difference = scores[comparisons.first] - scores[comparisons.second]
        value = log_density(difference, comparisons.p_first).sum()
        ahead, behind = (log_density(difference + step, comparisons.p_first) for step in (_STEP, -_STEP))
        slope = (ahead - behind) / (2 * _STEP)
        n = comparisons.n_candidates
        return -float(value), sums(comparisons.second, slope, n) - sums(comparisons.first, slope, n)

    start = np.zeros(comparisons.n_candidates)
    fit = scipy.optimize.minimize(
        loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 5_000, "ftol": 1e-15, "gtol": 1e-8}
    )
    if np.abs(fit.jac).max() > 1e-4 or np.abs(fit.x).max() > _FARTHEST:
        raise NotConverged("the scores of these experts do not converge")
    return np.asarray(fit.x - fit.x.mean(), dtype=np.float64)


def tie_near(scores: FloatArray) -> FloatArray:
    """Return the scores, (size, n_problems), with one value for candidates that only the error of a fit separates."""
    order = np.argsort(scores, axis=0)
    ordered = np.take_along_axis(scores, order, axis=0)
    is_first = np.diff(ordered, axis=0, prepend=-np.inf) > LARGEST_FIT_ERROR
    tied = np.empty_like(scores)
    np.put_along_axis(tied, order, np.maximum.accumulate(np.where(is_first, ordered, -np.inf), axis=0), axis=0)
    return tied
