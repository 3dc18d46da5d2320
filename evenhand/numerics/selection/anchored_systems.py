"""Rankings of systems from the comparisons with one system, its anchor [DonYehiya2026]."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray, counts, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.correlation.coefficients import every_coefficient
from evenhand.numerics.figure import Figure
from evenhand.numerics.rankings.registry import score
from evenhand.numerics.ranks import average_ranks
from evenhand.numerics.scores import rounded

FEWER_THAN_THREE = "fewer than three systems have a score in both rankings"
ALL_SYSTEMS_EQUAL = "all systems have the same score"


@dataclass(frozen=True, slots=True, eq=False)
class AnchoredSystems:
    """The ranking of systems from the comparisons with one of them.

    anchor: its number. comparisons: their number. contexts: contexts with one of them.
    scores: float, (n_systems,). Mean score of each system's texts; NaN for none.
    """

    anchor: int
    comparisons: int
    contexts: int
    scores: FloatArray


def system_means(values: FloatArray, systems: IntArray, n_systems: int) -> FloatArray:
    """Average the scores of each system's texts, rounded, (n_systems,); NaN for none.

    values: float, (n_candidates,). systems: int, (n_candidates,). A system of -1 is unknown.
    """
    scored = ~np.isnan(values) & (systems >= 0)
    sizes = counts(systems[scored], n_systems)
    with np.errstate(invalid="ignore"):
        return rounded(sums(systems[scored], values[scored], n_systems) / sizes)


def possible_anchors(comparisons: Comparisons, systems: IntArray, n_systems: int) -> list[int]:
    """Return the systems that are compared with every other compared system, at least once."""
    first, second = systems[comparisons.first], systems[comparisons.second]
    known = (first >= 0) & (second >= 0) & (first != second)
    met = np.zeros((n_systems, n_systems), dtype=bool)
    met[first[known], second[known]] = True
    met |= met.T
    opponents = met.sum(axis=1)
    compared = int((opponents > 0).sum())
    return np.flatnonzero((opponents > 0) & (opponents == compared - 1)).tolist()


def rank_by_anchor(
    comparisons: Comparisons, systems: IntArray, n_systems: int, *, anchor: int, ranking: str
) -> AnchoredSystems:
    """Rank systems from the comparisons between a text of the anchor and a text of another system.

    Raises UnknownRanking, and Undefined where the ranking does not exist for these answers.
    """
    of_anchor = systems == anchor
    chosen = comparisons.select(of_anchor[comparisons.first] ^ of_anchor[comparisons.second])
    means = system_means(score(ranking, chosen).values, systems, n_systems)
    return AnchoredSystems(anchor, len(chosen), len(np.unique(chosen.contexts)), means)


def rank_correlations(one: FloatArray, other: FloatArray) -> dict[str, Figure]:
    """Correlate the scores of systems by two rankings: `spearman` and `kendall`; n is the number of systems.

    one, other: float, (n_systems,). NaN for none. One ranking that is constant gives 0.
    """
    both = ~np.isnan(one) & ~np.isnan(other)
    n = int(both.sum())
    if n < 3:
        return dict.fromkeys(("spearman", "kendall"), Figure.missing(FEWER_THAN_THREE, n=n))
    if (other[both] == other[both][0]).all():
        return dict.fromkeys(("spearman", "kendall"), Figure.missing(ALL_SYSTEMS_EQUAL, n=n))
    values = every_coefficient(one[both][None, None], other[both][None])
    return {name: Figure(float(values[name][0, 0]), n=n) for name in ("spearman", "kendall")}


def ranks_of(scores: FloatArray) -> FloatArray:
    """Rank systems, 1 for the best, (n_systems,); NaN for a system without a score."""
    ranks = np.full(len(scores), np.nan)
    known = ~np.isnan(scores)
    ranks[known] = average_ranks(-scores[known])
    return ranks


def spread_of_ranks(anchored: Sequence[AnchoredSystems]) -> tuple[FloatArray, FloatArray]:
    """Return the best and the worst rank of each system over the anchors, (n_systems,) each; NaN for none."""
    ranks = np.stack([ranks_of(one.scores) for one in anchored])
    best, worst = np.where(np.isnan(ranks), np.inf, ranks).min(axis=0), np.where(np.isnan(ranks), -np.inf, ranks).max(0)
    return np.where(np.isfinite(best), best, np.nan), np.where(np.isfinite(worst), worst, np.nan)
