"""Reliability of a ranking, from random halves of its comparisons."""

import numpy as np

from rankings.numerics.arrays import IntArray, sums
from rankings.numerics.comparisons import Comparisons
from rankings.numerics.correlation.coefficients import pearson_rows
from rankings.numerics.exceptions import InvalidComparisons
from rankings.numerics.figure import Figure
from rankings.numerics.intervals import percentiles
from rankings.numerics.rankings.registry import score
from rankings.numerics.scores import rounded

NO_HALVES = "no split of the comparisons leaves both halves with two scored candidates in common whose scores differ"


def split_half_reliability(
    ranking: str, comparisons: Comparisons, rng: np.random.Generator, *, splits: int = 50
) -> Figure:
    """Mean Pearson correlation of the scores of two random halves, stepped up by Spearman and Brown; n counts splits.

    Unordered pairs, not comparisons, are split, so that two orders of one pair never vouch for each other. low and high
    hold the middle 95 % of the splits. The mean of each context is taken out before correlating. A correlation below
    zero stays as it is: there is nothing in common to step up, and the formula would go down to minus infinity.

    Raises UnknownRanking, and InvalidComparisons where splits is below 1.
    """
    if splits < 1:
        raise InvalidComparisons(f"splits is {splits}; give 1 or more")
    pair = np.unique(comparisons.pair_keys, return_inverse=True)[1]
    values = [
        _of_one_split(ranking, comparisons, rng.permutation(pair.max(initial=-1) + 1)[pair] % 2) for _ in range(splits)
    ]
    known = np.array([value for value in values if value is not None])
    if not len(known):
        return Figure.missing(NO_HALVES, n=0)
    low, high = percentiles(known)
    return Figure(float(known.mean()), low, high, n=len(known))


def _of_one_split(ranking: str, comparisons: Comparisons, half: IntArray) -> float | None:
    one, other = (score(ranking, comparisons.select(half == side)) for side in (0, 1))
    both = one.defined & other.defined
    contexts = comparisons.candidate_contexts[both]
    sizes = np.maximum(np.bincount(contexts, minlength=comparisons.n_contexts), 1)
    centred = [
        rounded(scores.values[both] - (sums(contexts, scores.values[both], comparisons.n_contexts) / sizes)[contexts])
        for scores in (one, other)
    ]
    if any(len(half_scores) < 2 or np.ptp(half_scores) == 0 for half_scores in centred):
        return None
    correlation = float(pearson_rows(centred[0][None], centred[1][None])[0])
    return 2 * correlation / (1 + correlation) if correlation > 0 else correlation
