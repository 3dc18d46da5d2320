"""Two rankings of the same candidates: tests of their two correlations with people over all candidates together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankings.numerics import COEFFICIENTS, Figure, HumanScores, Scores, Undefined
from rankings.numerics.arrays import BoolArray
from rankings.numerics.correlation.correlations import pooled_correlation
from rankings.numerics.significance.dependent_correlations import CorrelationTest, steiger, williams

SPEARMAN = COEFFICIENTS["spearman"]
PERFECT = "the three correlations leave no room for chance"

Test = Callable[[float, float, float, int], CorrelationTest]


def pooled_tests(one: Scores, other: Scores, human: HumanScores, recorded: BoolArray) -> dict[str, Any]:
    """Spearman's correlation of each with people and with the other, pooled, and Williams' and Steiger's tests."""
    known = HumanScores(np.where(np.isnan(human.scores), np.nan, other.values), human.contexts, human.systems)
    mine, theirs = (pooled_correlation(SPEARMAN, scores, human, recorded) for scores in (one, other))
    between = pooled_correlation(SPEARMAN, one, known, recorded)
    found: dict[str, Any] = {"one": mine.value, "other": theirs.value, "between": between.value, "candidates": mine.n}
    if mine.undefined is not None:
        found["undefined"] = mine.undefined
    return found | {
        "williams": _tested(williams, mine, theirs, between),
        "steiger": _tested(steiger, mine, theirs, between),
    }


def _tested(test: Test, one: Figure, other: Figure, between: Figure) -> dict[str, Any]:
    """Where a run gives all candidates the same score, its correlations are 0."""
    if one.value is None or other.value is None:
        return _undefined(one.undefined or other.undefined or "")
    try:
        with np.errstate(all="ignore"):
            result = test(one.value, other.value, between.value or 0.0, one.n or 0)
    except Undefined as undefined:
        return _undefined(undefined.reason)
    if not np.isfinite([result.statistic, result.p_value]).all():
        return _undefined(PERFECT)
    return {"statistic": result.statistic, "p_value": result.p_value}


def _undefined(reason: str) -> dict[str, Any]:
    return {"statistic": None, "p_value": None, "undefined": reason}
