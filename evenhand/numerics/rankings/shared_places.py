"""Places in a most likely order that candidates share, so that no place depends on the order of the dataset.

Components of one level, which no preferences order, are swapped at no loss; so are candidates with the same gains over
all others. Both get the mean of the places that they take in turn.
"""

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.pairs import number_in_pairs, pair_rows
from evenhand.numerics.scores import rounded_units

_FACTORS = np.random.default_rng(0).integers(1 << 62, size=1 << 13)


def shared_places(places: IntArray, ranks: NDArray[np.integer], tallies: IntArray) -> FloatArray:
    """Return the mean place of each candidate, 1 for the best alone, (n_problems, size).

    places: int, (n_problems, size). Place in one order, 0 for the best, that keeps the ranks. ranks: int, of this
    shape. Number of the component: its level times the size, and a number within the level. tallies: int64, of this
    shape. Equal for candidates of a problem with the same gains (`tallies_of_gains`).
    """
    size = places.shape[1]
    levels = ranks // size
    mean = np.ones(places.shape)
    for other in range(size):
        one = slice(other, other + 1)
        is_within = ranks == ranks[:, one]
        mean += np.where(
            is_within, places > places[:, one], (levels > levels[:, one]) + 0.5 * (levels == levels[:, one])
        )
    ordered = np.sort(tallies, axis=1)
    alike = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    mean[alike] = _means_of_equals(mean[alike], tallies[alike])
    return mean


def _means_of_equals(values: FloatArray, numbers: IntArray) -> FloatArray:
    """Return the mean over the candidates with the same number, (n_problems, size)."""
    means = np.empty(values.shape)
    for candidate in range(values.shape[1]):
        equal = numbers == numbers[:, candidate, None]
        means[:, candidate] = (values * equal).sum(axis=1) / equal.sum(axis=1)
    return means


def tallies_of_gains(net: FloatArray) -> IntArray:
    """Return one number for the gains of each candidate over all others, (n_problems, size).

    Different gains have the same number once in 2**64. net: float, (n_problems, size, size). Gain of i above j.
    """
    return rounded_units(net).astype(np.int64) @ _FACTORS[: net.shape[-1]]


def tallies_of_pair_gains(net: FloatArray) -> IntArray:
    """Return what `tallies_of_gains` does, (size, n_problems), where each pair is given once.

    net: float, (n_pairs, n_problems), in the order of `np.triu_indices`.
    """
    units = rounded_units(net).astype(np.int64)
    size = number_in_pairs(len(net))
    tallies = np.zeros((size, net.shape[1]), np.int64)
    for lower, row in enumerate(pair_rows(size)):
        tallies[lower] += _FACTORS[lower + 1 : size] @ units[row]
        tallies[lower + 1 :] -= _FACTORS[lower] * units[row]
    return tallies
