"""The probability of an answer that fell on the label words, of all words that the judge might have said."""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import pooled_mean

NO_LOG_PROBABILITIES = "no answer has log-probabilities of the label words"
LEAST_LABEL_MASS = 0.5


@dataclass(frozen=True)
class MassFigure(Figure):
    """A mean probability on the label words. below: share of answers under LEAST_LABEL_MASS."""

    below: float | None = None


def mean_label_mass(comparisons: Comparisons, masses: FloatArray | None) -> MassFigure:
    """Return the mean over answers. masses: float, (n,). NaN where unknown; None if no answer has one."""
    if masses is None or np.isnan(masses).all():
        return MassFigure.missing(NO_LOG_PROBABILITIES, n=0)
    mean = pooled_mean(comparisons.contexts, masses, comparisons.n_contexts, if_empty="")
    return MassFigure(**vars(mean), below=float(np.mean(masses[~np.isnan(masses)] < LEAST_LABEL_MASS)))
