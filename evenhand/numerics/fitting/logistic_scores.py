"""Scores and standard errors of logistic models of comparisons, over all contexts at once."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.fitting.alike_candidates import tie_alike
from evenhand.numerics.fitting.batches import ContextBatch, batches, bounded_contexts, connected_contexts
from evenhand.numerics.fitting.dense_newton import PairTable, fit_dense, pair_table
from evenhand.numerics.fitting.laplacians import pseudo_inverses
from evenhand.numerics.fitting.logistic_newton import LogisticFit, negative_hessian
from evenhand.numerics.fitting.sparse_newton import fit_sparse
from evenhand.numerics.fitting.stacked_logistic import fit_stack
from evenhand.numerics.scores import Reason, Scores, StandardErrors

LARGEST_STACKED = 64
"""Contexts with more compared candidates than this are fitted one by one."""
LARGEST_WITH_ERRORS = 5_000
"""Contexts with more compared candidates than this get no standard errors, and none with pseudo-wins get scores: these
cost N^3 time and N^2 memory."""


def logistic_scores(comparisons: Comparisons, *, shift: float = 0.0, pseudo_wins: bool = False) -> Scores:
    """Fit P(first better) = sigmoid(s_first - s_second - shift) by maximum likelihood, mean zero in each context.

    pseudo_wins: add 1 / (N - 1) wins to every ordered pair of the N compared candidates. Without them, a context has no
    scores if a group of candidates never loses to the others, not even a part of a comparison.
    Standard errors are the square roots of the diagonal of the pseudo-inverse of the negative Hessian.
    """
    connected = connected_contexts(comparisons)
    values = np.zeros(comparisons.n_candidates)
    reasons = missing_reasons(comparisons, connected)
    bounded = connected if pseudo_wins else bounded_contexts(comparisons)
    reasons[(connected & ~bounded)[comparisons.candidate_contexts] & comparisons.compared] = Reason.NO_MAXIMUM
    fits: list[tuple[ContextBatch, LogisticFit]] = []
    for batch in batches(comparisons, bounded):
        if pseudo_wins and batch.size > LARGEST_WITH_ERRORS:
            reasons[batch.candidates] = Reason.TOO_MANY_CANDIDATES
            continue
        fit = _fit(batch, comparisons.p_first[batch.members], shift, pseudo_wins)
        values[batch.candidates] = fit.scores.T
        reasons[batch.candidates[~fit.converged]] = Reason.NOT_CONVERGED
        fits.append((batch, fit))
    scores = tie_alike(values, comparisons, is_biased=shift != 0)
    return Scores(scores, reasons, partial(_standard_errors, fits, reasons, shift, pseudo_wins))


def _standard_errors(
    fits: Sequence[tuple[ContextBatch, LogisticFit]], reasons: IntArray, shift: float, pseudo_wins: bool
) -> StandardErrors:
    """reasons: int, (n_candidates,). `Reason` of each missing score."""
    errors, error_reasons = np.zeros(len(reasons)), reasons.copy()
    for batch, fit in fits:
        if batch.size > LARGEST_WITH_ERRORS:
            error_reasons[batch.candidates] = Reason.TOO_MANY_FOR_ERRORS
            continue
        variances = _variances(batch, fit.scores.T, shift, pseudo_wins)
        known = fit.converged[:, None] & (variances > 0)
        errors[batch.candidates] = np.sqrt(np.where(known, variances, 0.0))
        error_reasons[batch.candidates[fit.converged[:, None] & ~known]] = Reason.OPEN_SCORE
    return StandardErrors(errors, error_reasons)


def missing_reasons(comparisons: Comparisons, connected: BoolArray) -> IntArray:
    """Return the `Reason` of each missing score, (n_candidates,), for rankings that need connected contexts."""
    reasons = np.full(comparisons.n_candidates, int(Reason.NONE))
    reasons[~connected[comparisons.candidate_contexts]] = Reason.NOT_CONNECTED
    reasons[~comparisons.compared] = Reason.NO_COMPARISONS
    return reasons


def _fit(batch: ContextBatch, p_first: FloatArray, shift: float, pseudo_wins: bool) -> LogisticFit:
    extra = 1 / (batch.size - 1) if pseudo_wins else 0.0
    if batch.size <= LARGEST_STACKED:
        return _fit_stacked(batch, p_first, shift, extra)
    fits = [_fit_alone(batch, p_first, shift, extra, row) for row in range(batch.n_contexts)]
    return LogisticFit(np.hstack([fit.scores for fit in fits]), np.hstack([fit.converged for fit in fits]))


def _fit_stacked(batch: ContextBatch, p_first: FloatArray, shift: float, extra: float) -> LogisticFit:
    wins, losses = batch.totals(p_first), batch.totals(1 - p_first)  # (n_contexts, size, size)
    low, high = np.triu_indices(batch.size, 1)
    won = np.stack([wins[:, low, high].T, losses[:, high, low].T])  # by the lower candidate, shown first or second
    lost = np.stack([losses[:, low, high].T, wins[:, high, low].T])
    won[0] += extra
    lost[0] += extra
    return fit_stack(won, lost, shift=shift)


def _fit_alone(batch: ContextBatch, p_first: FloatArray, shift: float, extra: float, row: int) -> LogisticFit:
    mine = batch.rows == row
    return fit_alone(
        batch.first[mine], batch.second[mine], p_first[mine], n_candidates=batch.size, shift=shift, extra=extra
    )


def fit_alone(
    first: IntArray,
    second: IntArray,
    wins: FloatArray,
    *,
    n_candidates: int,
    shift: float = 0.0,
    extra: float = 0.0,
    start: FloatArray | None = None,
) -> LogisticFit:
    """Fit one context that is too large to be stacked with others. Its comparisons, (n,), connect its candidates.

    extra: wins added to every ordered pair. start: float, (n_candidates,). Initial scores; default: 0.
    """
    if not extra:
        return fit_sparse(first, second, wins, n_candidates=n_candidates, shift=shift, start=start)
    lower_first = first < second
    orders = [(lower_first, shift), (~lower_first, -shift)] if shift else [(slice(None), 0.0)]
    tables = [PairTable(pair_table(first[some], second[some], n_candidates), one) for some, one in orders]
    tables[0].counts[np.triu_indices(n_candidates, 1)] += 2 * extra
    total = sums(first, wins, n_candidates) + sums(second, 1 - wins, n_candidates) + extra * (n_candidates - 1)
    return fit_dense(tables, total, start=start)


def _variances(batch: ContextBatch, scores: FloatArray, shift: float, pseudo_wins: bool) -> FloatArray:
    """Return squares of standard errors, (n_contexts, size). Rounding may make them zero or negative."""
    counts = batch.totals()
    if pseudo_wins:
        counts = counts + 2 / (batch.size - 1) * np.triu(np.ones((batch.size, batch.size)), 1)
    inverses = pseudo_inverses(negative_hessian(counts, scores, shift, least=0.0))
    return np.diagonal(inverses, axis1=1, axis2=2)
