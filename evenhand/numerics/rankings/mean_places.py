"""Places of candidates where several orders are equally likely. None depends on the order of the dataset.

A candidate that always stands below a others and above b, of n in all, has the mean place (a + 1)(n + 1)/(a + b + 2):
that of all orders in which the n - a - b - 1 others fall anywhere. Candidates that the gains do not separate, such as
three whose equal preferences form a circle, share their places.
"""

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.fitting.alike_candidates import Hashes, scrambled
from evenhand.numerics.pairs import number_in_pairs, pair_rows
from evenhand.numerics.rankings.orders_by_preference import Relations
from evenhand.numerics.scores import rounded_units


def mean_places(orders: IntArray, relations: Relations, alike: Hashes) -> FloatArray:
    """Return the mean place of each candidate, 1 for the best, (size, n_problems).

    orders: int, (size, n_problems), sorted by component. It decides within components alone. alike: from
    `alike_numbers`.
    """
    size = len(orders)
    places = np.argsort(orders, axis=0)
    above, below = relations.above + 1, relations.below + 1
    for other in range(size):
        inside = relations.ranks == relations.ranks[other]
        above += inside & (places > places[other])
        below += inside & (places < places[other])
    mean = above * (size + 1) / (above + below)
    shared = _number_of_kinds(alike) < size
    mean[:, shared] = _means_of_equals(mean[:, shared], alike[:, shared])
    return mean


def _means_of_equals(values: FloatArray, numbers: Hashes) -> FloatArray:
    """Return the mean over the candidates with the same number, (size, n_problems)."""
    means = np.empty(values.shape)
    for candidate, number in enumerate(numbers):
        equal = numbers == number
        means[candidate] = (values * equal).sum(axis=0) / equal.sum(axis=0)
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
