"""Logistic fits of one context that is too large to be stacked with others."""

import numpy as np

from rankings.numerics.arrays import FloatArray, IntArray
from rankings.numerics.fitting.logistic_newton import LogisticFit, fit_dense
from rankings.numerics.fitting.sparse_newton import fit_sparse


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
    """Scores with P(first wins) = sigmoid(s_first - s_second - shift) of connected comparisons, (n,).

    extra: wins added to every ordered pair. start: float, (n_candidates,). Where to begin; left out, at zero.
    """
    if not extra:
        return fit_sparse(first, second, wins, n_candidates=n_candidates, shift=shift, start=start)
    return fit_dense(
        first, second, np.ones(len(wins)), wins, n_candidates=n_candidates, shift=shift, extra=extra, start=start
    )
