"""The agreement of people who rated single candidates."""

from __future__ import annotations

import numpy as np

from rankings.agreement.agreement_row import RatingAgreement
from rankings.numerics import Figure, RatingTable, krippendorff_alpha
from rankings.numerics.arrays import FloatArray, IntArray

MOST_VALUES = 50  # alpha needs room for every two of them, of every candidate
NO_RATINGS = "no candidate has the ratings of two people"
TOO_MANY_VALUES = f"there are more than {MOST_VALUES} different ratings"


def rating_agreement(ratings: FloatArray, contexts: IntArray) -> RatingAgreement:
    """Return Krippendorff's alpha of ratings, (n_raters, n_candidates), NaN where missing: as an order, and as numbers.

    contexts: int, (n_candidates,). The context of each candidate.
    """
    given = (~np.isnan(ratings)).sum(axis=0)
    table, why = RatingTable.of_values(ratings[:, given >= 2], contexts[given >= 2]), None
    if not (given >= 2).any():
        why = NO_RATINGS
    elif len(table.values) > MOST_VALUES:
        why = TOO_MANY_VALUES
    missing = Figure.missing(why or "", n=0)
    return RatingAgreement(
        raters=len(ratings),
        candidates=int((given > 0).sum()),
        shared_candidates=int((given >= 2).sum()),
        krippendorff_alpha_ordinal=missing if why else krippendorff_alpha(table, "ordinal"),
        krippendorff_alpha_interval=missing if why else krippendorff_alpha(table, "interval"),
    )
