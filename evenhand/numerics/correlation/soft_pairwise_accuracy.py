"""Soft pairwise accuracy: does a judge order systems as surely as people do? [Thompson2024]"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.correlation.human_scores import TOO_FEW_SYSTEMS, MatchedScores
from evenhand.numerics.correlation.system_samples import sums_of_systems
from evenhand.numerics.figure import Figure
from evenhand.numerics.resampling import RESAMPLING_SEED
from evenhand.numerics.scores import DECIMALS, Scores, rounded

NO_COMMON_CONTEXTS = "no two systems have two common contexts with both scores"
MOST_SOFT_SYSTEMS = 64
TOO_MANY_TO_FLIP = f"there are more than {MOST_SOFT_SYSTEMS} systems, whose pairs take too long to test for a report"
FLIPS = 10_000
MOST_FLIPPED_CONTEXTS = 1_000
_ROUNDING = 1e-12
_FITS_THE_CACHE = 1 << 15


@dataclass(frozen=True)
class SoftPairwiseAccuracy(Figure):
    """1 − the mean difference of two p-values over pairs of systems. n: pairs. contexts: that some pair shares."""

    contexts: int = 0

    @property
    def pairs(self) -> int:
        return self.n or 0


@dataclass(frozen=True, slots=True, eq=False)
class _Alike:
    """Pairs of systems with the same common contexts. contexts: bool, (n_contexts,). pairs: int, (n_pairs, 2)."""

    contexts: BoolArray
    pairs: IntArray


def soft_pairwise_accuracies(rankings: Sequence[Scores], matched: MatchedScores) -> list[SoftPairwiseAccuracy]:
    """Compare one-sided p-values by people with those by each ranking, over pairs with two common contexts or more.

    A p-value is the share of 10,000 sign flips of the differences of two systems, a context each, whose mean is larger
    than the observed one; an equal mean counts half. Half of the flips are random, the others their opposites. They are
    the same for people and all rankings, and for pairs with equally many contexts. Above 1,000 common contexts, the
    p-value is the normal limit, which is closer than so many flips.

    matched: from scores of the same candidates, for all rankings.
    """
    sizes, *sums = sums_of_systems(rankings, matched)
    if (n_systems := sizes.shape[1]) > MOST_SOFT_SYSTEMS or n_systems < 2:
        why = TOO_FEW_SYSTEMS if n_systems < 2 else TOO_MANY_TO_FLIP
        return [SoftPairwiseAccuracy.missing(why, n=0)] * len(rankings)
    alike = _alike_pairs(sizes > 0)
    if not alike:
        return [SoftPairwiseAccuracy.missing(NO_COMMON_CONTEXTS, n=0)] * len(rankings)
    signs = _random_flips(min(len(sizes), MOST_FLIPPED_CONTEXTS))
    means = [one / np.maximum(sizes, 1) for one in sums]
    people, *judged = np.hstack([_counts(some, means, signs) for some in alike])
    n, contexts = len(people), int(np.any([some.contexts for some in alike], axis=0).sum())
    largest = 2 * FLIPS * n
    values = [1 - float(np.abs(one - people).sum()) / largest for one in judged]
    return [SoftPairwiseAccuracy(value, n=n, contexts=contexts) for value in values]


def _alike_pairs(present: BoolArray) -> list[_Alike]:
    """Group the pairs with two common contexts or more. present: bool, (n_contexts, n_systems)."""
    groups: dict[bytes, list[tuple[int, int]]] = {}
    for pair in combinations(range(present.shape[1]), 2):
        common = present[:, pair[0]] & present[:, pair[1]]
        if np.count_nonzero(common) > 1:
            groups.setdefault(common.tobytes(), []).append(pair)
    return [_Alike(np.frombuffer(common, dtype=bool), np.array(pairs)) for common, pairs in groups.items()]


def _random_flips(n: int) -> FloatArray:
    """Return signs, 1 or -1, (n, half of the flips)."""
    drawn = np.random.default_rng(RESAMPLING_SEED).bytes(n * FLIPS // 16)
    return np.unpackbits(np.frombuffer(drawn, np.uint8)).reshape(n, -1).astype(np.float64) * -2 + 1


def _counts(alike: _Alike, means: Sequence[FloatArray], signs: FloatArray) -> FloatArray:
    """Count, for each pair, the flips with a larger mean twice, and those with an equal mean once.

    Rankings whose differences have the same ratios are counted once. means: of people and of each ranking, each
    (n_contexts, n_systems). Returns (1 + n_rankings, n_pairs).
    """
    systems, places = np.unique(alike.pairs, return_inverse=True)
    pairs = places.reshape(-1, 2)
    found: dict[bytes, FloatArray] = {}
    keys = []
    for one in means:
        values = one[alike.contexts][:, systems].T
        differences = values - values[0]  # (n_systems, n)
        largest = np.abs(differences).max()
        differences = rounded(differences / largest) + 0.0 if largest > 0.1**DECIMALS else np.zeros(values.shape)
        keys.append(differences.tobytes())
        if keys[-1] not in found:
            is_long = len(differences[0]) > MOST_FLIPPED_CONTEXTS
            found[keys[-1]] = _expected(differences, pairs) if is_long else _flipped(differences, pairs, signs)
    return np.stack([found[key] for key in keys])


def _flipped(differences: FloatArray, pairs: IntArray, signs: FloatArray) -> FloatArray:
    # With the opposite of each flip, half of the two-sided p-value is the one-sided one.
    n = differences.shape[1]
    units = differences * (10.0**DECIMALS / (2 * n))  # sums of them that differ by one are equal up to rounding
    at_once = max(64, _FITS_THE_CACHE // n)
    sums = np.hstack([units @ signs[:n, at : at + at_once] for at in range(0, signs.shape[1], at_once)])
    flipped, seen = list(np.rint(sums).astype(np.int32)), np.rint(units.sum(axis=1)).astype(int).tolist()
    found = [_twice(flipped[one] - flipped[other], seen[one] - seen[other]) for one, other in pairs.tolist()]
    return np.array(found, dtype=np.float64)


def _twice(flipped: NDArray[np.int32], observed: int) -> int:
    """Count the flips above the observed sum twice, and those that equal it once, with the opposites of all flips."""
    if abs(observed) <= 1:
        return FLIPS
    sizes, least = np.abs(flipped), abs(observed)
    two_sided = int(np.count_nonzero(sizes > least + 1) + np.count_nonzero(sizes >= least - 1))
    return two_sided if observed > 0 else 2 * FLIPS - two_sided


def _expected(differences: FloatArray, pairs: IntArray) -> FloatArray:
    """Return the expectation of `_flipped`, by the normal distribution."""
    one, other = pairs.T
    totals, products = differences.sum(axis=1), differences @ differences.T
    both = products[one, one] + products[other, other]
    variances = both - 2 * products[one, other]
    differ = variances > _ROUNDING * both
    z = (totals[other] - totals[one]) / np.sqrt(np.where(differ, variances, 1.0))
    return 2 * FLIPS * np.where(differ, ndtr(z), 0.5)
