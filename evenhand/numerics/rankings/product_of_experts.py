"""Products of experts: each comparison is a soft opinion about one difference of scores [Liusie2024b].

The Bradley-Terry expert takes p_first as a fraction of a win; the Gaussian expert expects the difference of scores to
be p_first - beta, with one variance for all comparisons.
"""

from functools import partial

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.fitting.alike_candidates import tie_alike
from evenhand.numerics.fitting.batches import ContextBatch, batches, connected_contexts
from evenhand.numerics.fitting.laplacians import laplacians, pseudo_inverses
from evenhand.numerics.fitting.logistic_scores import LARGEST_WITH_ERRORS, logistic_scores, missing_reasons
from evenhand.numerics.fitting.sparse_newton import WeightedLaplacian, aggregated_edges
from evenhand.numerics.scores import Reason, Scores, StandardErrors

CLIP = 1 - (1 - 1e-6)
"""Probabilities are kept at least this far, 1e-6, from 0 and 1 before a logarithm is taken.

It is rounded so that 1 - CLIP is exact. Then a nearly certain win and a nearly certain loss weigh the same."""
GAUSSIAN_TOLERANCE = 1e-12
"""Relative residual of the normal equations of a large context."""


def clipped(p_first: FloatArray) -> FloatArray:
    """Return the probabilities limited to [CLIP, 1 - CLIP]."""
    return np.clip(p_first, CLIP, 1 - CLIP)


def poe_bradley_terry(comparisons: Comparisons, *, gamma: float = 0.0) -> Scores:
    """Return soft Bradley-Terry scores in nats, mean zero within each context, with standard errors.

    gamma: difference of scores at which both candidates are equally likely to win; 0 without position bias.
    """
    return logistic_scores(comparisons.with_p_first(clipped(comparisons.p_first)), shift=gamma)


def poe_gaussian(comparisons: Comparisons, *, beta: float = 0.5) -> Scores:
    """Return Gaussian expert's scores in units of probability, mean zero within each context, with standard errors.

    beta: the p_first of two equally good candidates; 1/2 without position bias.
    """
    connected = connected_contexts(comparisons)
    values = np.zeros(comparisons.n_candidates)
    reasons = missing_reasons(comparisons, connected)
    for batch in batches(comparisons, connected):
        difference = comparisons.p_first[batch.members] - beta
        if batch.size > LARGEST_WITH_ERRORS:
            values[batch.candidates] = _sparse_scores(batch, difference)
        else:
            inverses = _inverses(comparisons, batch)
            values[batch.candidates] = np.einsum("bij,bj->bi", inverses, _sums(batch, difference))
    scores = tie_alike(values, comparisons, is_biased=beta != 0.5)
    return Scores(scores, reasons, partial(_gaussian_errors, comparisons, beta, values, reasons))


def _gaussian_errors(comparisons: Comparisons, beta: float, values: FloatArray, reasons: IntArray) -> StandardErrors:
    """values: float, (n_candidates,). The scores. reasons: int, (n_candidates,). `Reason` of each missing one."""
    errors, error_reasons = np.zeros(len(values)), reasons.copy()
    for batch in batches(comparisons, connected_contexts(comparisons)):
        if batch.size > LARGEST_WITH_ERRORS:
            error_reasons[batch.candidates] = Reason.TOO_MANY_FOR_ERRORS
            continue
        freedom = batch.lengths() - batch.size + 1
        error_reasons[batch.candidates[freedom < 1]] = Reason.TOO_FEW_COMPARISONS
        difference = comparisons.p_first[batch.members] - beta
        variance = _residual_squares(batch, difference, values[batch.candidates]) / np.maximum(freedom, 1)
        diagonals = np.diagonal(_inverses(comparisons, batch), axis1=1, axis2=2)
        errors[batch.candidates] = np.sqrt(variance[:, None] * diagonals)
    return StandardErrors(errors, error_reasons)


def poe_gaussian_hard(comparisons: Comparisons, *, beta: float = 0.5) -> Scores:
    """Return Gaussian expert's scores of hard decisions, 0, 1/2 or 1, without standard errors.

    Decisions do not scatter around a difference with one variance, so their residuals give no standard error.
    """
    scores = poe_gaussian(comparisons.with_p_first(decide(comparisons.p_first)), beta=beta)
    return Scores.without_errors(scores.values, scores.reasons)


def _inverses(comparisons: Comparisons, batch: ContextBatch) -> FloatArray:
    """Pseudo-inverses of the Laplacians of the compared pairs, (n_contexts, size, size)."""
    return comparisons.of_pairs(("inverses", batch.size), lambda: pseudo_inverses(laplacians(batch.totals())))


def _sparse_scores(batch: ContextBatch, difference: FloatArray) -> FloatArray:
    """Scores of contexts that are too large for a dense matrix, (n_contexts, size)."""
    scores = np.empty(batch.candidates.shape)
    for row in range(batch.n_contexts):
        mine = batch.rows == row
        scores[row] = sparse_gaussian(batch.first[mine], batch.second[mine], difference[mine], batch.size)
    return scores


def sparse_gaussian(first: IntArray, second: IntArray, difference: FloatArray, n_candidates: int) -> FloatArray:
    """Return least-squares scores of connected comparisons, (n_candidates,), mean zero.

    difference: float, (n,). Expected difference of the scores of each pair.
    """
    edges, edge = aggregated_edges(first, second, n_candidates)
    right = sums(first, difference, n_candidates) - sums(second, difference, n_candidates)
    weights = sums(edge, np.ones(len(edge)), len(edges.low))
    return WeightedLaplacian(edges, n_candidates).with_weights(weights).solve(right, GAUSSIAN_TOLERANCE)


def _sums(batch: ContextBatch, difference: FloatArray) -> FloatArray:
    """Sum over a candidate's comparisons of the differences in its favour, (n_contexts, size)."""
    shape = batch.candidates.shape
    favour = sums(batch.rows * batch.size + batch.first, difference, batch.candidates.size)
    against = sums(batch.rows * batch.size + batch.second, difference, batch.candidates.size)
    return (favour - against).reshape(shape)


def _residual_squares(batch: ContextBatch, difference: FloatArray, scores: FloatArray) -> FloatArray:
    """Residual sum of squares of each context, (n_contexts,)."""
    fitted = scores[batch.rows, batch.first] - scores[batch.rows, batch.second]
    return sums(batch.rows, (difference - fitted) ** 2, batch.n_contexts)
