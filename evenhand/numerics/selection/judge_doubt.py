"""How much judges doubt each pair: they are unsure, or contradict each other or themselves."""

from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class PairDoubts:
    """Unordered pairs with their doubt, (n_pairs,) each. lower, higher: the candidates. values: doubt in [0, 1]."""

    lower: IntArray
    higher: IntArray
    values: FloatArray


def doubt_of_pairs(runs: IntArray, first: IntArray, second: IntArray, p_first: FloatArray) -> PairDoubts:
    """Return the doubt of each answered pair: 1 - |2 p - 1|.

    p is the mean probability that the lower candidate is better. It is the mean over the orders within each run,
    then over the runs. An even mean comes from unsure answers, and from answers that contradict each other.

    runs, first, second: int, (n,). p_first: float, (n,), in [0, 1].
    """
    lower, higher = np.minimum(first, second), np.maximum(first, second)
    p_lower = np.where(first == lower, p_first, 1 - p_first)
    ordered = np.unique(np.stack([lower, higher, runs, first]), axis=1, return_inverse=True)
    of_order, orders = ordered[0][:3], _means(ordered[1].ravel(), p_lower)
    by_run, of_run = np.unique(of_order, axis=1, return_inverse=True)
    pairs, of_pair = np.unique(by_run[:2], axis=1, return_inverse=True)
    p = _means(of_pair.ravel(), _means(of_run.ravel(), orders))
    return PairDoubts(pairs[0], pairs[1], 1 - np.abs(2 * p - 1))


def _means(groups: IntArray, values: FloatArray) -> FloatArray:
    """Return the mean of each group, (n_groups,)."""
    return np.bincount(groups, weights=values) / np.bincount(groups)
