"""One answer from the answers of several judges: the majority, the mean, and the product of experts."""

import numpy as np
from scipy.special import expit, logit

from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.decisions import decide
from evenhand.numerics.rankings.product_of_experts import clipped

_ROUNDING = 1e-12
"""Sums of judges that cancel out differ from zero by less than this, in any order of the judges."""


def majority_decisions(p_first: FloatArray) -> FloatArray:
    """Return what more judges decide, (n_pairs,): 1 for `first`, 0 for `second`, 1/2 (a tie) for equal numbers.

    A judge that decides for a tie counts for neither side. p_first: float, (n_judges, n_pairs).
    """
    return decide((2 * decide(p_first) - 1).sum(axis=0), threshold=0.0)


def mean_probabilities(p_first: FloatArray) -> FloatArray:
    """Return the mean of the judges' probabilities, (n_pairs,). p_first: float, (n_judges, n_pairs)."""
    return 0.5 + _without_rounding((p_first - 0.5).mean(axis=0))


def weighted_product(logits: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the probabilities whose logit is the weighted sum of the judges' logits, (n_pairs,).

    Each judge is an expert sigmoid(d)^(w p) (1 - sigmoid(d))^(w (1 - p)) on the score difference d [Liusie2024b].
    Equal weights of 1 / n_judges give the mean of the logits.
    logits: float, (n_judges, n_pairs), from `judge_logits`. weights: float, (n_judges,).
    """
    return np.asarray(expit(_without_rounding(weights @ logits)), dtype=np.float64)


def judge_logits(p_first: FloatArray) -> FloatArray:
    """Return the log-odds of the judges' probabilities, in nats, same shape.

    Probabilities are first limited to [1e-6, 1 - 1e-6], as in every ranking that takes a logarithm.
    """
    return np.asarray(logit(clipped(p_first)), dtype=np.float64)


def _without_rounding(values: FloatArray) -> FloatArray:
    """Set values that are zero but for rounding to zero, so that a tie stays an exact tie."""
    return np.where(np.abs(values) < _ROUNDING, 0.0, values)
