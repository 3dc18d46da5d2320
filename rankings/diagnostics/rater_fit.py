"""The fit of each person and judge to one Bradley-Terry scale of all their answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankings.agreement.raters import Rater
from rankings.diagnostics.diagnostics_row import RaterFit, RaterFitRow
from rankings.numerics import Comparisons
from rankings.numerics.rankings.bradley_terry import bradley_terry
from rankings.numerics.reliability.fit_statistics import Misfit, misfit

USUAL_RANGE = (0.7, 1.3)
NO_ANSWER = "nobody has answered anything"


def rater_fit(raters: Sequence[Rater]) -> RaterFit:
    """Return infit and outfit of every rater with an answer, and if one is outside the usual range."""
    answering = [rater for rater in raters if len(rater.comparisons)]
    if not answering:
        return RaterFit(list(USUAL_RANGE), [], NO_ANSWER)
    scores = bradley_terry(pooled([rater.comparisons for rater in answering]))
    return RaterFit(list(USUAL_RANGE), [_row(rater, misfit(rater.comparisons, scores)) for rater in answering])


def pooled(raters: Sequence[Comparisons]) -> Comparisons:
    """Join the answers of all raters on the same candidates."""
    one = raters[0]
    return Comparisons(
        one.n_candidates,
        np.concatenate([rater.first for rater in raters]),
        np.concatenate([rater.second for rater in raters]),
        np.concatenate([rater.p_first for rater in raters]),
        one.starts,
    )


def _row(rater: Rater, fit: Misfit) -> RaterFitRow:
    return RaterFitRow(
        name=rater.name,
        kind=rater.kind,
        run=rater.run.pk if rater.run else None,
        infit=fit.infit,
        outfit=fit.outfit,
        outside_usual_range=_is_outside(fit),
    )


def _is_outside(fit: Misfit) -> bool | None:
    """None where there is no fit."""
    if fit.infit.value is None or fit.outfit.value is None:
        return None
    low, high = USUAL_RANGE
    return not (low <= fit.infit.value <= high and low <= fit.outfit.value <= high)
