"""Places in a most likely order that candidates share, so that no place depends on the order of the dataset.

Components of one level, which no preferences order, are swapped at no loss; candidates that the gains do not separate,
such as three whose equal preferences form a circle, in the mean over all best orders. Both share their places.
"""

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.fitting.alike_candidates import Hashes, scrambled
from evenhand.numerics.pairs import number_in_pairs, pair_rows
from evenhand.numerics.scores import rounded_units


def shared_places(places: IntArray, ranks: NDArray[np.integer], alike: Hashes) -> FloatArray:
    """Return the mean place of each candidate, 1 for the best alone, (n_problems, size).

    places: int, (n_problems, size). Place in one order, 0 for the best, that keeps the ranks. ranks: int, of this
    shape. Number of the component: its level times the size, and a number within the level. alike: of this shape, from
    `alike_numbers`.
    """
    size = places.shape[1]
    levels = ranks // size
    mean = np.ones(places.shape)
    for other in range(size):
        one = slice(other, other + 1)
        mean += np.where(
            ranks == ranks[:, one],
            places > places[:, one],
            (levels > levels[:, one]) + 0.5 * (levels == levels[:, one]),
        )
    shared = _number_of_kinds(alike.T) < size
    mean[shared] = _means_of_equals(mean[shared], alike[shared])
    return mean


def _means_of_equals(values: FloatArray, numbers: Hashes) -> FloatArray:
    """Return the mean over the candidates with the same number, (n_problems, size)."""
    means = np.empty(values.shape)
    for candidate in range(values.shape[1]):
        equal = numbers == numbers[:, candidate, None]
        means[:, candidate] = (values * equal).sum(axis=1) / equal.sum(axis=1)
    return means


def alike_numbers(net: FloatArray) -> Hashes:
    """Return a number for each candidate, the same for those that the gains do not separate, (size, n_problems).

    Alike candidates have the same gains over the candidates of each kind of alike ones (`alike_candidates`). Numbers
    say nothing of the dataset's order. net: float, (n_pairs, n_problems), in the order of `np.triu_indices`. Gain of
    the lower-numbered candidate above the other.
    """
    units = rounded_units(net).astype(np.int64)
    numbers = np.zeros((number_in_pairs(len(net)), net.shape[1]), np.uint64)
    problems, kinds = np.arange(net.shape[1]), np.ones(net.shape[1], np.intp)
    while len(problems):
        finer = _refined(units[:, problems], numbers[:, problems])
        numbers[:, problems] = finer
        more = _number_of_kinds(finer)
        unfinished = (more > kinds) & (more < len(numbers))
        problems, kinds = problems[unfinished], more[unfinished]
    return numbers


def _refined(units: IntArray, numbers: Hashes) -> Hashes:
    """Return one number for that of each candidate, and for its gains over the candidates of each number."""
    totals, kinds = scrambled(scrambled(numbers)), scrambled(numbers)
    for lower, row in enumerate(pair_rows(len(numbers))):
        totals[lower] += scrambled(units[row].astype(np.uint64) ^ kinds[lower + 1 :]).sum(axis=0)
        totals[lower + 1 :] += scrambled((-units[row]).astype(np.uint64) ^ kinds[lower])
    return totals


def _number_of_kinds(numbers: Hashes) -> IntArray:
    """Count the different numbers of each problem, (n_problems,). numbers: (size, n_problems)."""
    kinds: IntArray = (np.diff(np.sort(numbers, axis=0), axis=0) > 0).sum(axis=0) + 1
    return kinds
