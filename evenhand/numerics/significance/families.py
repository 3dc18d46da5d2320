"""The family of tests of a figure: those that could find a difference at all, with their adjusted p-values."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.intervals import FEWEST_CONTEXTS
from evenhand.numerics.significance.paired_tests import JudgeDifference

LEVEL_OF_TEST = 0.05
TOO_FEW_TO_TEST = "too few contexts to test"
EQUAL_EVERYWHERE = "equal in every common context"
NOT_VARIED = "a judge that nearly always answers alike is not tested"


def adjusted_in_family(differences: Sequence[JudgeDifference], left_out: Collection[int] = ()) -> list[JudgeDifference]:
    """Return the differences of one figure with p-values adjusted over their family, or with why they have none.

    A test with k contexts that differ has no p-value below 2 / 2^k. By k, falling, the family is the largest first m
    tests with 2m / 2^k_m below 5 %: each could stay significant after adjustment. Of equal k, the first given count
    first.

    left_out: indices of differences that are not tested, because a judge of theirs gives one answer.
    """
    candidates = (at for at in range(len(differences)) if at not in left_out)
    order = sorted(candidates, key=lambda at: -differences[at].differing)
    family = [at for m, at in enumerate(order, 1) if m * 2.0 ** (1 - differences[at].differing) < LEVEL_OF_TEST]
    p_values = np.array([differences[at].p_value for at in family], dtype=np.float64)
    adjusted = zip(holm_adjusted(p_values).tolist(), benjamini_hochberg_adjusted(p_values).tolist(), strict=True)
    tested = {
        at: replace(differences[at], p_value_holm=holm, p_value_benjamini_hochberg=discovery)
        for at, (holm, discovery) in zip(family, adjusted, strict=True)
    }
    return [
        tested.get(at) or replace(one, undefined=NOT_VARIED if at in left_out else _why_not_tested(one))
        for at, one in enumerate(differences)
    ]


def holm_adjusted(p_values: FloatArray) -> FloatArray:
    """Adjust p-values for the family-wise error, (n,) [Holm1979]."""
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    adjusted = np.maximum.accumulate(p_values[order] * (n - np.arange(n)))
    return np.minimum(adjusted, 1.0)[np.argsort(order)]


def benjamini_hochberg_adjusted(p_values: FloatArray) -> FloatArray:
    """Adjust p-values for the false discovery rate, (n,) [Benjamini1995]."""
    n = len(p_values)
    order = np.argsort(p_values, kind="stable")
    scaled = p_values[order] * n / np.arange(1, n + 1)
    adjusted = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(adjusted, 1.0)[np.argsort(order)]


def is_not_worse(difference: JudgeDifference) -> bool:
    """Return True if the other is not significantly worse than the best, from which it was subtracted.

    On common units the best may also be the worse of the two.
    """
    p_value, value = difference.p_value_holm, difference.value or 0.0
    is_equal = difference.undefined == EQUAL_EVERYWHERE
    return is_equal or (p_value is not None and (p_value >= LEVEL_OF_TEST or value <= 0))


def is_untested(difference: JudgeDifference) -> bool:
    """Return True if nothing is known of the difference: it has no test, and the two are not equal everywhere."""
    return difference.p_value_holm is None and difference.undefined != EQUAL_EVERYWHERE


def _why_not_tested(difference: JudgeDifference) -> str | None:
    if difference.value is None:
        return difference.undefined
    equal = not difference.differing and difference.n >= FEWEST_CONTEXTS
    return EQUAL_EVERYWHERE if equal else TOO_FEW_TO_TEST
