"""Figures of a row with a single context, with intervals over its candidates."""

import numpy as np

from evenhand.numerics import Comparisons, Figure
from evenhand.numerics.accuracy import NO_DECISIONS, NO_TRUTH
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import value_or_why
from evenhand.numerics.intervals import mean_over_candidates
from rankings.report.figures.figure_basis import Basis
from rankings.report.report_row import OverCandidates


def over_candidates(basis: Basis) -> OverCandidates | None:
    """Return the figures; None for several contexts, and for a run that scores candidates one by one."""
    if basis.debiasing is None or np.count_nonzero(basis.recorded) != 1:
        return None
    raw = decide(basis.comparisons.p_first)
    debiased = value_or_why(lambda: basis.debiased_decisions)
    return OverCandidates(
        accuracy=_accuracy(basis, raw),
        accuracy_debiased=_accuracy(basis, debiased),
        p_first=_first_share(basis.comparisons, raw),
        p_first_debiased=_first_share(basis.comparisons, debiased),
    )


def _accuracy(basis: Basis, decisions: FloatArray | str) -> Figure:
    """decisions: float, (n,), or why there are none; here and below."""
    if isinstance(decisions, str):
        return Figure.missing(decisions)
    judged = basis.judged
    correct = 1 - np.abs(judged.decisions(decisions) - judged.right)
    return mean_over_candidates(judged.comparisons, correct, if_empty=NO_TRUTH)


def _first_share(comparisons: Comparisons, decisions: FloatArray | str) -> Figure:
    if isinstance(decisions, str):
        return Figure.missing(decisions)
    return mean_over_candidates(comparisons, decisions, if_empty=NO_DECISIONS)
