"""Intervals of a single context, from candidates drawn with replacement.

With one context there are no contexts to draw from. These intervals show how a share would vary with other candidates.
"""

import numpy as np
from scipy.sparse import csr_array

from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.figure import Figure
from evenhand.numerics.resampling import resampled_counts
from evenhand.numerics.shared_draws import percentiles

FEWEST_CANDIDATES = 3
FEW_CANDIDATES = f"an interval over candidates needs at least {FEWEST_CANDIDATES} of them"


def mean_over_candidates(comparisons: Comparisons, values: FloatArray, *, if_empty: str) -> Figure:
    """Return the mean of values of comparisons, with a 95 % interval over candidates drawn with replacement.

    A comparison counts as often as its first candidate was drawn, times as often as its second was. Resamples without
    any comparison are left out.

    values: float, (n,). NaN for comparisons that do not count. if_empty: reason if none counts.
    """
    counted = ~np.isnan(values)
    known = values[counted]
    if not len(known):
        return Figure.missing(if_empty, n=0)
    ends = np.stack([comparisons.first[counted], comparisons.second[counted]])
    candidates, (first, second) = np.unique(ends, return_inverse=True)
    if len(candidates) < FEWEST_CANDIDATES:
        return Figure(float(known.mean()), n=len(known), undefined=FEW_CANDIDATES)
    shape = len(candidates), len(candidates)
    totals, sizes = (csr_array((each, (first, second)), shape=shape) for each in (known, np.ones(len(known))))
    samples = []
    for times in resampled_counts(len(candidates)):
        above, below = (((times @ table) * times).sum(axis=1) for table in (totals, sizes))
        samples.append(above[below > 0] / below[below > 0])
    return Figure(float(known.mean()), *percentiles(np.concatenate(samples)), n=len(known))
