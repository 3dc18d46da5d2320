"""Products of experts with any expert: a log-density of the difference of two scores, given p_first [Liusie2024b].

`product_of_experts.py` has fast special solutions for the two experts of the reports; this is their open form.
"""

from collections.abc import Callable

import numpy as np
import scipy

from evenhand.numerics.arrays import FloatArray, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import InvalidComparisons, NotConnected, NotConverged, Undefined
from evenhand.numerics.fitting.batches import ContextBatch, batches, connected_contexts
from evenhand.numerics.fitting.logistic_scores import missing_reasons
from evenhand.numerics.rankings.product_of_experts import clipped
from evenhand.numerics.scores import Reason, Scores

LogDensity = Callable[[FloatArray, FloatArray], FloatArray]
"""Takes differences of scores and probabilities, both (n,). Returns log-densities up to constants, (n,)."""

LARGEST_FIT_ERROR = 1e-6
"""Scores of these fits are at most this far from the maximum."""
_STEP = 1e-5
_LARGEST_SHIFT = 50.0
_FARTHEST = 1e4
"""Scores beyond this are on their way to infinity, and too coarse for the steps of the derivative."""


def score_by_expert(comparisons: Comparisons, log_density: LogDensity, *, shift: float = 0.0) -> Scores:
    """Return the scores that maximise the product of these experts, mean zero within each context.

    Probabilities are clipped as in `poe-bt`. shift: added to every difference, to remove position bias.
    Raises InvalidComparisons if the log-density is not one finite number for each difference.
    """
    known = comparisons.known()
    soft = known.with_p_first(clipped(known.p_first))
    require_log_density(log_density, soft.p_first)
    connected = connected_contexts(soft)
    values, reasons = np.zeros(soft.n_candidates), missing_reasons(soft, connected)
    for batch in batches(soft, connected):
        for row in range(batch.n_contexts):
            try:
                values[batch.candidates[row]] = _scores_of_context(batch, soft.p_first, row, log_density, shift)
            except NotConverged:
                reasons[batch.candidates[row]] = Reason.NOT_CONVERGED
    return Scores.without_errors(values, reasons)


def shift_of_expert(comparisons: Comparisons, log_density: LogDensity) -> float:
    """Return the shift at which the mean log-density of a run is largest [Liusie2024b].

    Raises Undefined if no finite shift removes the position bias.
    """
    p_first = clipped(comparisons.known().p_first)
    fit = scipy.optimize.minimize_scalar(
        lambda shift: -log_density(np.full(len(p_first), shift), p_first).mean(),
        bounds=(-_LARGEST_SHIFT, _LARGEST_SHIFT),
        method="bounded",
        options={"xatol": 1e-9},
    )
    if abs(fit.x) > _LARGEST_SHIFT - 1:
        raise Undefined("no finite shift removes the position bias from this expert")
    return float(fit.x)


def require_log_density(log_density: LogDensity, p_first: FloatArray) -> None:
    """Raise InvalidComparisons unless the log-density gives a finite number for each answer. p_first: float, (n,)."""
    values = np.asarray(log_density(np.zeros(len(p_first)), p_first))
    if values.shape != p_first.shape:
        raise InvalidComparisons(
            f"log_density: it gives an array of shape {values.shape} for {len(p_first):,} differences — expected one "
            "number for each"
        )
    wrong = ~np.isfinite(values)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InvalidComparisons(
            f"log_density: {values[at]} at difference 0 and p_first {p_first[at]:g} — expected a finite number"
        )


def _scores_of_context(
    batch: ContextBatch, p_first: FloatArray, row: int, log_density: LogDensity, shift: float
) -> FloatArray:
    mine = batch.rows == row
    alone = Comparisons(batch.size, batch.first[mine], batch.second[mine], p_first[batch.members[mine]])
    scores = fit_expert(alone, lambda difference, p: log_density(difference + shift, p))
    return tie_near(scores[:, None])[:, 0]


def fit_expert(comparisons: Comparisons, log_density: LogDensity) -> FloatArray:
    """Return the scores of one context that maximise the sum of the log-densities, (n_candidates,), mean zero.

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
