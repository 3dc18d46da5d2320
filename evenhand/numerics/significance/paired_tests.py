"""Tests of the difference between two judges that answered the same questions."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, ndtr

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import InvalidComparisons
from evenhand.numerics.intervals import GUARD_OF_DIFFERENCES, Spread, coefficient_guard
from evenhand.numerics.ranks import average_ranks
from evenhand.numerics.resampling import RESAMPLING_SEED

SIGN_FLIP_PERMUTATIONS = 10_000
PERMUTATIONS_PER_TEST = 25
LARGEST_REFINED = 0.05
MOST_FLIPPED = 1_000  # contexts
MOST_BINOMIALS = 100  # sizes of a difference
_EXACT_UP_TO = 13
_CHUNK_ELEMENTS = 1 << 18
_ROUNDING = 1e-12
_DECIMALS = 12

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class JudgeDifference:
    """Difference of two judges, one minus other.

    value, low, high: the difference and its 95 % interval. p_value: two-sided, of no difference. n: units compared.
    differing: the units among them whose difference is not zero.
    p_value_holm, p_value_benjamini_hochberg: adjusted, from `adjusted_in_family`.
    undefined: reason if one of these numbers is missing; else None.
    """

    value: float | None
    low: float | None
    high: float | None
    p_value: float | None
    n: int
    undefined: str | None = None
    differing: int = 0
    p_value_holm: float | None = None
    p_value_benjamini_hochberg: float | None = None

    @classmethod
    def missing(cls, reason: str) -> "JudgeDifference":
        return cls(None, None, None, None, 0, reason)


@dataclass(frozen=True, slots=True, eq=False)
class ContextGaps:
    """Differences of two judges in each context that counts for both, one minus other.

    gaps: float, (n,). Differences of their sums within a context. sizes: float, (n,). Common denominators.
    guard: of the interval. widest: the largest possible difference.
    """

    gaps: FloatArray
    sizes: FloatArray
    guard: float = GUARD_OF_DIFFERENCES
    widest: float = 1.0


def ratio_gaps(one: FloatArray, other: FloatArray, sizes: FloatArray) -> ContextGaps:
    """Return the gaps of two ratios with a common denominator, such as accuracies on the same comparisons.

    one, other: float, (n_contexts,). Each judge's numerators.
    sizes: float, (n_contexts,). Denominators; contexts with 0 are left out.
    """
    counted = sizes > 0
    return ContextGaps((one - other)[counted], sizes[counted])


def coefficient_gaps(one: FloatArray, other: FloatArray, candidates: FloatArray) -> ContextGaps:
    """Return the gaps of two mean correlation coefficients. Contexts that either skips are left out.

    one, other: float, (n_contexts,). NaN if skipped. candidates: float, (n_contexts,). Number in each context.
    """
    both = ~np.isnan(one) & ~np.isnan(other)
    guard = coefficient_guard(float(candidates[both].mean())) if both.any() else 0.0
    return ContextGaps((one - other)[both], np.ones(int(both.sum())), guard, widest=2.0)


def paired_differences(pairs: Sequence[ContextGaps]) -> list[JudgeDifference]:
    """Return the difference of each pair of judges: the sum of gaps over the sum of sizes.

    P-values are from random signs of the contexts' gaps. Pairs with equally many contexts share signs, which changes
    no result. Of many pairs, those with small p-values get more random signs: the smallest p-value must stay small
    enough for Holm's adjustment to find a difference.
    """
    permutations = max(SIGN_FLIP_PERMUTATIONS, PERMUTATIONS_PER_TEST * len(pairs))
    return computed_by_size(
        pairs, lambda gaps: len(gaps.gaps), lambda some, n: _differences_of_one_size(some, n, permutations)
    )


def computed_by_size(
    items: Sequence[T], size: Callable[[T], int], compute: Callable[[list[T], int], list[R]]
) -> list[R]:
    """Compute the results of the items of each size together; return them in the order of the items."""
    results: dict[int, R] = {}
    for n in {size(item) for item in items}:
        numbers = [number for number, item in enumerate(items) if size(item) == n]
        results |= zip(numbers, compute([items[number] for number in numbers], n), strict=True)
    return [results[number] for number in range(len(items))]


def common_comparisons(one: Comparisons, other: Comparisons) -> tuple[Comparisons, Comparisons]:
    """Select the ordered pairs that both judges answered, in the same sequence.

    Raises InvalidComparisons if candidates or contexts differ, or if an ordered pair occurs twice.
    """
    if one.n_candidates != other.n_candidates or one.starts.tolist() != other.starts.tolist():
        raise InvalidComparisons("the two runs are not of the same candidates, so they cannot be compared")
    _, here, there = np.intersect1d(_ordered_keys(one), _ordered_keys(other), return_indices=True)
    return one.select(here), other.select(there)


def sign_flip_p_values(gaps: FloatArray, *, permutations: int = SIGN_FLIP_PERMUTATIONS) -> FloatArray:
    """Return two-sided p-values of the sums of paired differences under random signs, (n_rows,) [Fisher1935].

    All signs are tried for up to 13 differences, else `permutations` random ones, including the observed one. All rows
    share the signs, up to 1,000 differences. Of more, it is drawn how many of each size keep their sign; where their
    sizes are more than 100, the p-value is the normal limit. gaps: float, (n_rows, n).
    """
    if gaps.shape[1] > MOST_FLIPPED:
        return np.array([_p_value_of_many(row, permutations) for row in gaps])
    observed = np.abs(gaps.sum(axis=1)) - _ROUNDING * np.abs(gaps).sum(axis=1)
    as_large, drawn = np.zeros(len(gaps)), 0
    for some in random_signs(gaps.shape[1], permutations=permutations):
        as_large, drawn = as_large + (np.abs(some @ gaps.T) >= observed).sum(axis=0), drawn + len(some)
    return as_large / drawn


def _p_value_of_many(gaps: FloatArray, permutations: int) -> float:
    gaps = gaps.round(_DECIMALS)
    sizes, numbers = np.unique(np.abs(gaps), return_counts=True)
    if len(sizes) > MOST_BINOMIALS:
        return 2 * float(ndtr(-abs(gaps.sum()) / np.sqrt((gaps * gaps).sum())))
    kept = np.random.default_rng(RESAMPLING_SEED).binomial(numbers, 0.5, (permutations, len(sizes)))
    as_large = np.abs((2 * kept - numbers) @ sizes) >= abs(gaps.sum()) - _ROUNDING * np.abs(gaps).sum()
    return float((1 + as_large.sum()) / (1 + permutations))


def random_signs(n: int, *, permutations: int) -> Iterator[FloatArray]:
    """Yield rows of n signs, 1 or -1, in parts. All 2^n rows for n up to 13, else random ones after a row of ones."""
    if n <= _EXACT_UP_TO:
        yield _signs((np.arange(1 << n)[:, None] >> np.arange(n)) & 1)
        return
    yield np.ones((1, n))
    rng = np.random.default_rng(RESAMPLING_SEED)
    at_once = max(1, _CHUNK_ELEMENTS // n)
    for done in range(0, permutations, at_once):
        drawn = rng.integers(0, 1 << 32, (min(at_once, permutations - done), n), dtype=np.uint32)
        yield _signs(drawn >> 31)  # the bits of integers(0, 2), in half the time


def _signs(bits: NDArray[np.integer[Any]]) -> FloatArray:
    """Return 1 for each 0, and -1 for each 1."""
    signs = bits.astype(np.float64)
    signs *= -2.0
    signs += 1.0
    return signs


def wilcoxon_p_value(gaps: FloatArray) -> float:
    """Return the one-sided p-value of Wilcoxon's signed ranks for gaps, (n,), below zero, by normal approximation.

    Gaps of zero are left out, and ties are corrected for, as in `scipy.stats.wilcoxon`. Importing that would cost a web
    process 35 MB.
    """
    gaps = gaps[gaps != 0]
    n = len(gaps)
    if not n:
        return 1.0
    _, counts = np.unique(np.abs(gaps), return_counts=True)
    ranks = average_ranks(np.abs(gaps))
    variance = (n * (n + 1) * (2 * n + 1) - (counts**3 - counts).sum() / 2) / 24
    return float(ndtr((ranks[gaps > 0].sum() - n * (n + 1) / 4) / np.sqrt(variance)))


def mcnemar_p_value(one_right: BoolArray, other_right: BoolArray) -> float:
    """Return the exact two-sided p-value of equal accuracy of two judges on the same questions [McNemar1947].

    one_right, other_right: bool, (n_questions,). Raises InvalidComparisons if they differ in length.
    """
    if one_right.shape != other_right.shape:
        raise InvalidComparisons(f"{one_right.size} and {other_right.size} answers; give both judges' of each question")
    only_one, only_other = int((one_right & ~other_right).sum()), int((~one_right & other_right).sum())
    if only_one + only_other == 0:
        return 1.0
    tail = bdtr(min(only_one, only_other), only_one + only_other, 0.5)  # with equal chances both tails are alike
    return min(1.0, 2 * float(tail))


def _differences_of_one_size(pairs: list[ContextGaps], n: int, permutations: int) -> list[JudgeDifference]:
    """Return `paired_differences` of pairs of judges that all have n contexts."""
    if not n:
        return [JudgeDifference.missing("the two have no context in common")] * len(pairs)
    gaps, sizes = np.stack([pair.gaps for pair in pairs]), np.stack([pair.sizes for pair in pairs])
    spread = Spread.of(gaps.T, sizes.T, np.array([pair.guard for pair in pairs]))
    widest = np.array([pair.widest for pair in pairs])
    p_values = _refined_p_values(gaps, permutations).tolist() if n > 1 else [None] * len(pairs)
    differing = (np.abs(gaps) > _ROUNDING).sum(axis=1).tolist()
    return [
        JudgeDifference(value, *ends, p_value, n, why, number)
        for value, ends, p_value, why, number in zip(
            spread.values.tolist(), spread.student(-widest, widest), p_values, spread.why_not(), differing, strict=True
        )
    ]


def _refined_p_values(gaps: FloatArray, permutations: int) -> FloatArray:
    """Return the p-values of each row, the small ones from `permutations` random signs."""
    p_values = sign_flip_p_values(gaps)
    small = p_values < LARGEST_REFINED
    if permutations > SIGN_FLIP_PERMUTATIONS and small.any():
        p_values[small] = sign_flip_p_values(gaps[small], permutations=permutations)
    return p_values


def _ordered_keys(comparisons: Comparisons) -> IntArray:
    keys = comparisons.first * np.intp(comparisons.n_candidates) + comparisons.second
    if len(np.unique(keys)) < len(keys):
        raise InvalidComparisons("an ordered pair is compared twice; a run may ask each only once")
    return keys
