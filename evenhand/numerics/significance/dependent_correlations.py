"""Tests of the difference between two judges' correlations with the same human scores."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, stdtr

from evenhand.numerics.exceptions import Undefined

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class CorrelationTest:
    """A test statistic and its two-sided p-value."""

    statistic: float
    p_value: float


def williams(human_one: float, human_other: float, one_other: float, n: int) -> CorrelationTest:
    """Compute Williams' t-test with n - 3 degrees of freedom [Williams1959].

    human_one, human_other: each judge's correlation with people. one_other: correlation of the judges. n: observations.

    Raises Undefined for fewer than four observations, perfectly correlated judges, impossible correlations, and
    correlations where two determine the third.
    """
    _require_testable(one_other, n)
    mean = (human_one + human_other) / 2
    determinant = 1 - human_one**2 - human_other**2 - one_other**2 + 2 * human_one * human_other * one_other
    if determinant < -_ROUNDING:
        raise Undefined("no observations have these three correlations")
    below = 2 * (n - 1) / (n - 3) * max(determinant, 0.0) + mean**2 * (1 - one_other) ** 3
    if below < _ROUNDING:
        raise Undefined("the three correlations leave no doubt about each other, so there is nothing to test")
    t = (human_one - human_other) * np.sqrt((n - 1) * (1 + one_other) / below)
    return CorrelationTest(float(t), float(2 * stdtr(n - 3, -abs(t))))


def steiger(human_one: float, human_other: float, one_other: float, n: int) -> CorrelationTest:
    """Compute Steiger's Z1* test, on Fisher's scale with the mean correlation in the covariance [Steiger1980].

    Arguments as in `williams`.

    Raises Undefined for fewer than four observations, perfectly correlated judges, and a correlation of 1 or -1.
    """
    _require_testable(one_other, n)
    if max(abs(human_one), abs(human_other)) >= 1:
        raise Undefined("a correlation with people is 1 or -1, which Fisher's scale does not reach")
    mean = ((human_one + human_other) / 2) ** 2
    covariance = one_other * (1 - 2 * mean) - mean * (1 - 2 * mean - one_other**2) / 2
    shared = covariance / (1 - mean) ** 2
    z = (np.arctanh(human_one) - np.arctanh(human_other)) * np.sqrt((n - 3) / (2 - 2 * shared))
    return CorrelationTest(float(z), float(2 * ndtr(-abs(z))))


def _require_testable(one_other: float, n: int) -> None:
    if n < 4:
        raise Undefined(f"a test of two correlations needs at least four observations, not {n}")
    if one_other >= 1:
        raise Undefined("the two judges are perfectly correlated, so there is no difference to test")
