"""Ranks of systems by their mean scores, with intervals over contexts, and tiers [Chiang2024]."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray, counts, sums
from evenhand.numerics.correlation.system_samples import MISSING_SYSTEMS
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import FEWEST_DRAWN, TOO_FEW_TO_DRAW
from evenhand.numerics.ranks import average_ranks
from evenhand.numerics.resampling import RESAMPLES
from evenhand.numerics.scores import rounded
from evenhand.numerics.shared_draws import row_percentiles, with_drawn_sums

MOST_RANKED_SYSTEMS = 100
TOO_MANY_RANKED = f"there are more than {MOST_RANKED_SYSTEMS} systems; ranks of single texts have no interval here"
NO_SCORED_TEXT = "no text of the system has a score"
_SURE = 0.975
"""A system is significantly better than another if it is better in this share of the resamples."""


@dataclass(frozen=True, slots=True)
class SystemRank:
    """The rank of a system among those with a score, 1 for the best; equal means share their mean rank.

    rank: n counts the contexts with a text of the system. score: mean of its texts' scores.
    tier: 1 plus the number of systems that are significantly better; None if that is unknown.
    """

    rank: Figure
    score: float | None
    tier: int | None


def system_ranks(scores: FloatArray, systems: IntArray, contexts: IntArray, *, n_systems: int) -> list[SystemRank]:
    """Rank systems by the mean of their texts' scores.

    Intervals of ranks are percentiles over contexts drawn with replacement, widened to the next rank that is possible:
    a whole or half number. Resamples that lack a system are left out. Call this outside of blocks of `shared_draws`.

    scores: float, (n_candidates,). NaN for none. systems, contexts: int, (n_candidates,). A system of -1 is unknown.
    """
    scored = ~np.isnan(scores) & (systems >= 0)
    sizes = counts(systems[scored], n_systems)
    present = np.flatnonzero(sizes)
    ranks = [SystemRank(Figure.missing(NO_SCORED_TEXT, n=0), None, None) for _ in range(n_systems)]
    if not len(present):
        return ranks
    means = rounded(sums(systems[scored], scores[scored], n_systems)[present] / sizes[present])
    n_contexts = [len(np.unique(contexts[scored & (systems == system)])) for system in present]
    try:
        ends, tiers = _spread(scores[scored], np.searchsorted(present, systems[scored]), contexts[scored], len(present))
        why = None
    except Undefined as undefined:
        ends, tiers, why = [(None, None)] * len(present), [None] * len(present), undefined.reason
    for place, (system, rank) in enumerate(zip(present, average_ranks(-means), strict=True)):
        figure = Figure(float(rank), *ends[place], n_contexts[place], why)
        ranks[system] = SystemRank(figure, float(means[place]), tiers[place])
    return ranks


def _spread(
    scores: FloatArray, systems: IntArray, contexts: IntArray, n_systems: int
) -> tuple[Sequence[tuple[float | None, float | None]], list[int | None]]:
    """Return the interval and the tier of each system. All arrays: (n_scored,). Raises Undefined."""
    if n_systems > MOST_RANKED_SYSTEMS:
        raise Undefined(TOO_MANY_RANKED)
    drawn, rows = np.unique(contexts, return_inverse=True)
    if len(drawn) < FEWEST_DRAWN:
        raise Undefined(TOO_FEW_TO_DRAW)
    cells, shape = rows * n_systems + systems, (len(drawn), n_systems)
    parts = [sums(cells, column, len(drawn) * n_systems).reshape(shape) for column in (np.ones(len(scores)), scores)]
    totals: list[FloatArray] = []
    with_drawn_sums(np.hstack(parts), totals.append)
    sizes, total = np.split(totals[0], 2, axis=1)
    complete = (sizes > 0).all(axis=1)
    if complete.sum() < RESAMPLES / 2:
        raise Undefined(MISSING_SYSTEMS)
    means = rounded(total[complete] / sizes[complete])
    surely_better = (means[:, None, :] > means[:, :, None]).mean(axis=0) >= _SURE  # [i, j]: j is better than i
    ends = row_percentiles(average_ranks(-means).T)
    return [(floor(2 * low) / 2, ceil(2 * high) / 2) for low, high in ends], (1 + surely_better.sum(axis=1)).tolist()
