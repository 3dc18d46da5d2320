"""Bradley-Terry scores of systems with the style of their texts held fixed, as Chatbot Arena does it [Li2024].

The model: P(first is better) = sigmoid(score of first - score of second + position bias + sum of coefficient x gap).
A gap is the difference of a feature of both texts over its sum, so it lies between -1 and 1. Answers may be
probabilities. Errors allow any dependence between comparisons of one context [Liang1986].
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.exceptions import NotConverged, Undefined
from evenhand.numerics.intervals import FEWEST_CONTEXTS, student_quantile

STYLE_PRIOR_DEVIATION = 10.0
"""Standard deviation of the normal prior of every score and coefficient. It keeps them finite."""
_MOST_STEPS = 200
_TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Estimates with the ends of their 95 % intervals, each float, (n,). NaN where there is no interval."""

    values: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class StyleFit:
    """A fit of systems and features. scores: in nats, mean zero. coefficients: for a gap of 1. bias: of `first`."""

    scores: Estimates
    coefficients: Estimates
    bias: Estimates


def style_gaps(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return (first - second) / (first + second) of counts, of any shape; 0 where both are 0."""
    total = first + second
    return np.where(total > 0, (first - second) / np.where(total > 0, total, 1.0), 0.0)


def fit_style(
    first: IntArray,
    second: IntArray,
    p_first: FloatArray,
    gaps: FloatArray,
    contexts: IntArray,
    *,
    has_positions: bool = True,
) -> StyleFit:
    """Fit scores of systems, a position bias and coefficients of features.

    first, second: int, (n,). Systems, numbered from 0. p_first: float, (n,). gaps: float, (n, n_features).
    contexts: int, (n,). has_positions: False fixes the bias at 0, for pairs whose order nobody saw.
    Raises Undefined without a comparison of two systems, and NotConverged.
    """
    different = first != second
    if not different.any():
        raise Undefined("no comparison is between two systems")
    n_systems = int(max(first.max(), second.max())) + 1
    rows = np.arange(len(first))
    design = np.zeros((len(first), n_systems + 1 + gaps.shape[1]))
    np.add.at(design, (rows, first), 1.0)
    np.add.at(design, (rows, second), -1.0)
    design[:, n_systems], design[:, n_systems + 1 :] = float(has_positions), gaps
    values, covariance = _fit(design, p_first, np.unique(contexts, return_inverse=True)[1])
    centre = np.eye(len(values))
    centre[:n_systems, :n_systems] -= 1 / n_systems
    variances = np.maximum(np.diag(centre @ covariance @ centre.T), 0.0)  # not below zero by rounding
    values, half = centre @ values, student_quantile(len(np.unique(contexts)) - 1) * np.sqrt(variances)
    estimates = [values, values - half, values + half]
    parts = (slice(0, n_systems), slice(n_systems + 1, None), slice(n_systems, n_systems + 1))
    return StyleFit(*(Estimates(*(one[part] for one in estimates)) for part in parts))


def _fit(design: FloatArray, p_first: FloatArray, contexts: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the parameters and their covariance by Newton's method; NaN covariance for one or two contexts."""
    precision = 1 / STYLE_PRIOR_DEVIATION**2
    values = np.zeros(design.shape[1])
    for _ in range(_MOST_STEPS):
        expected = expit(design @ values)
        gradient = design.T @ (p_first - expected) - precision * values
        curvature = (design.T * (expected * (1 - expected))) @ design + precision * np.eye(len(values))
        step = np.linalg.solve(curvature, gradient)
        reach = float(np.abs(design @ step).max())
        values = values + step * min(1.0, 2.0 / max(reach, 1e-300))
        if reach < _TOLERANCE:
            return values, _clustered_covariance(design, p_first - expit(design @ values), contexts, curvature)
    raise NotConverged("the fit of systems and style did not converge")


def _clustered_covariance(
    design: FloatArray, residuals: FloatArray, contexts: IntArray, curvature: FloatArray
) -> FloatArray:
    number = int(contexts.max()) + 1
    if number < FEWEST_CONTEXTS:
        return np.full(curvature.shape, np.nan)
    totals = np.zeros((number, design.shape[1]))
    np.add.at(totals, contexts, design * residuals[:, None])
    inverse = np.linalg.inv(curvature)
    return np.asarray(inverse @ (totals.T @ totals) @ inverse * number / (number - 1))
