"""Exact ties: candidates that the comparisons do not separate get one and the same score.

Two candidates are alike when they have the same total of wins and the same number of comparisons with each class of
alike candidates. With a position bias, comparisons as first and as second are counted apart. This is the coarsest
equitable partition of the comparison graph, found by colour refinement. The likelihood of a Bradley-Terry model and the
squares of a Gaussian expert have one optimum. Scores that are equal within the classes satisfy its equations, so alike
candidates tie exactly. A solver leaves rounding noise between them.
"""

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray, sums
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.scores import rounded_units

Hashes = NDArray[np.uint64]
WIN_DECIMALS = 12
"""Totals of wins that agree to this many decimals are equal. They are added up in extended precision."""

LARGEST_TOTAL_NOISE = 1e-7
"""Equal totals of wins never differ by more than this when they are added up in double precision."""
LARGEST_NOISE = 1e-5
"""Scores of alike candidates are never farther apart than this after a fit."""

_COARSE = 2.0**30
_MANY = 0.5
_SMALL = 64
"""In contexts of no more candidates than this, near scores are seldom chance. If more than this share of such contexts
have some, examining all takes less time than choosing."""


def tie_alike(scores: FloatArray, comparisons: Comparisons, *, is_biased: bool) -> FloatArray:
    """Return the scores, (n_candidates,), with the mean of each class of alike candidates in place of theirs.

    is_biased: True if the model has a shift for the first position.
    """
    known = np.where(comparisons.compared, scores, np.nan)
    near = _contexts_with_near_ties(known, comparisons.starts)
    if np.count_nonzero(near) > _MANY * len(near) and len(scores) <= _SMALL * len(near):  # not by chance
        return _with_class_means(scores, comparisons, is_biased)
    if near.any():
        near &= _contexts_with_equal_totals(near, known, comparisons)
    if not near.any():
        return scores
    chosen = near[comparisons.candidate_contexts]
    tied = scores.copy()
    tied[chosen] = _with_class_means(scores[chosen], _of_contexts_alone(comparisons, near), is_biased)
    return tied


def _with_class_means(scores: FloatArray, comparisons: Comparisons, is_biased: bool) -> FloatArray:
    classes = alike_classes(comparisons, is_biased=is_biased)
    sizes = np.bincount(classes)
    means = sums(classes, scores, len(sizes)) / sizes
    return np.where(sizes[classes] > 1, means[classes], scores)


def _of_contexts_alone(comparisons: Comparisons, contexts: BoolArray) -> Comparisons:
    """Return the comparisons of some contexts, with their candidates numbered from 0. contexts: bool, (n_contexts,)."""
    candidates, chosen = contexts[comparisons.candidate_contexts], contexts[comparisons.contexts]
    numbers = np.cumsum(candidates) - 1
    sizes = np.diff(comparisons.starts, append=comparisons.n_candidates)[contexts]
    return Comparisons(
        int(candidates.sum()),
        numbers[comparisons.first[chosen]],
        numbers[comparisons.second[chosen]],
        comparisons.p_first[chosen],
        starts=np.cumsum(sizes) - sizes,
    )


def alike_classes(comparisons: Comparisons, *, is_biased: bool) -> IntArray:
    """Return a class for each candidate, (n_candidates,). Classes never span two contexts."""
    classes = _distinct(comparisons.candidate_contexts.astype(np.uint64), _total_wins(comparisons))
    n_classes = _count(classes)
    while n_classes < comparisons.n_candidates:
        refined = _distinct(classes.astype(np.uint64), _hashes_of_opponents(comparisons, classes, is_biased))
        n_refined = _count(refined)
        if n_refined == n_classes:
            break
        classes, n_classes = refined, n_refined
    return classes


def _contexts_with_near_ties(scores: FloatArray, starts: IntArray) -> BoolArray:
    """Return True for contexts in which two scores are nearly equal, (n_contexts,).

    scores: float, (n_candidates,). NaN is near nothing.
    """
    sizes = np.diff(starts, append=len(scores))
    near = np.zeros(len(starts), dtype=bool)
    for size in np.unique(sizes[sizes > 1]):
        rows = scores[starts[sizes == size][:, None] + np.arange(size)]  # (n_contexts, size)
        near[sizes == size] = (np.diff(np.sort(rows, axis=1), axis=1) < LARGEST_NOISE).any(axis=1)
    return near


def _contexts_with_equal_totals(some: BoolArray, scores: FloatArray, comparisons: Comparisons) -> BoolArray:
    """Return True for contexts in which two candidates have nearly equal scores and totals, (n_contexts,).

    Most near scores are chance, and finding out whether their candidates are alike takes longer.
    some: bool, (n_contexts,). The contexts to search. scores: as above.
    """
    members = np.flatnonzero(some[comparisons.candidate_contexts])
    wins = _sums_of_both(comparisons, comparisons.p_first, 1 - comparisons.p_first)
    classes = classes_of_totals(wins[members], comparisons.played[members])
    order = np.lexsort((scores[members], classes, comparisons.candidate_contexts[members]))
    contexts = comparisons.candidate_contexts[members][order]
    near = np.diff(scores[members][order]) < LARGEST_NOISE
    near &= (np.diff(classes[order]) == 0) & (np.diff(contexts) == 0)
    found = np.zeros(comparisons.n_contexts, dtype=bool)
    found[contexts[1:][near]] = True
    return found


def classes_of_totals(wins: FloatArray, played: IntArray) -> IntArray:
    """Number the candidates by their totals, (n_candidates,). Alike candidates have the same number.

    wins: float, (n_candidates,). Total of wins, with rounding errors. played: int, (n_candidates,). Comparisons.
    """
    order = np.lexsort((wins, played))
    is_new = (np.diff(wins[order]) > LARGEST_TOTAL_NOISE) | (np.diff(played[order]) > 0)
    classes = np.empty(len(wins), dtype=np.intp)
    classes[order] = np.cumsum(np.concatenate([[0], is_new]))
    return classes


def near_scores(scores: FloatArray, classes: IntArray) -> IntArray:
    """Return the candidates with a score so near to another's of their class that the two may be alike."""
    order = np.lexsort((scores, classes))
    near = (np.diff(scores[order]) < LARGEST_NOISE) & (np.diff(classes[order]) == 0)
    return np.unique(np.concatenate([order[:-1][near], order[1:][near]]))


def has_broken_ties(scores: FloatArray) -> BoolArray:
    """Return True for problems in which rounding separates two scores that noise may separate, (n_problems,).

    scores: float, (size, n_problems).
    """
    ordered = np.sort(scores, axis=0)
    near = np.diff(ordered, axis=0) < LARGEST_NOISE
    separated = np.diff(rounded_units(ordered), axis=0) > 0
    return np.asarray((near & separated).any(axis=0))


def _total_wins(comparisons: Comparisons) -> Hashes:
    """Each candidate's total of wins, rounded, as bits."""
    coarse = np.round(comparisons.p_first * _COARSE) / _COARSE  # sums of these are exact in double precision
    wins = _sums_of_both(comparisons, coarse, 1 - coarse).astype(np.longdouble)
    fine = comparisons.p_first - coarse
    if fine.any():
        wins += _sums_of_both(comparisons, fine, -fine)
    return np.round(wins * 10.0**WIN_DECIMALS).astype(np.uint64)


def _sums_of_both(comparisons: Comparisons, of_first: FloatArray, of_second: FloatArray) -> FloatArray:
    """Sum each candidate's values, those as first and those as second, (n_candidates,)."""
    size = comparisons.n_candidates
    return sums(comparisons.first, of_first, size) + sums(comparisons.second, of_second, size)


def scrambled(numbers: IntArray | Hashes) -> Hashes:
    """Map numbers to 64 random-looking bits (splitmix64)."""
    bits = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def _hashes_of_opponents(comparisons: Comparisons, classes: IntArray, is_biased: bool) -> Hashes:
    """A hash of the multiset of opponents' classes: the sum of one random-looking number for each."""
    totals = np.zeros(comparisons.n_candidates, dtype=np.uint64)
    np.add.at(totals, comparisons.first, scrambled(2 * classes[comparisons.second]))
    np.add.at(totals, comparisons.second, scrambled(2 * classes[comparisons.first] + is_biased))
    return totals


def _distinct(one: Hashes, other: Hashes) -> IntArray:
    """Number the distinct pairs of two columns from 0, (n_candidates,). Two pairs share one hash once in 2**64.

    `one` is scrambled twice: `other` may be a sum of numbers that are scrambled once, which would be mixed up with it.
    """
    return np.unique(scrambled(scrambled(one)) + other, return_inverse=True)[1]


def _count(classes: IntArray) -> int:
    return int(classes.max(initial=-1)) + 1
