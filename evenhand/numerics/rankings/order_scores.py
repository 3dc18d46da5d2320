"""Scores from orders of candidates: minus the place. The problems lie along the last axis.

Interchangeable candidates have the same gain above each other one, and none above each other: exchanging them changes
no likelihood. They share the mean of the places that they would take together, from the first of them on. Such an
order is as likely: in a best order, those between two interchangeable candidates gain nothing in all against either.
"""

import numpy as np

from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.pairs import number_in_pairs, pair_rows
from evenhand.numerics.scores import rounded


def scores_of_orders(orders: IntArray, marks: FloatArray) -> FloatArray:
    """Return minus the place of each candidate, -1 for the best, (size, n_problems).

    orders: int, of the same shape, best candidate first. marks: float, (size, n_problems). Equal for candidates that
    are interchangeable.
    """
    places = np.broadcast_to(np.arange(1.0, len(orders) + 1)[:, None], orders.shape).copy()
    ordered = np.take_along_axis(marks, orders, axis=0)
    is_tied = (np.diff(np.sort(ordered, axis=0), axis=0) == 0).any(axis=0)
    places[:, is_tied] = _mean_places(ordered[:, is_tied])
    scores = np.empty(orders.shape)
    np.put_along_axis(scores, orders, -places, axis=0)
    return scores


def _mean_places(marks: FloatArray) -> FloatArray:
    """Return the places, from 1 on, with equal marks next to the first of them. marks: (size, n_problems), in order."""
    by_mark = np.argsort(marks, axis=0, kind="stable")
    starts, _ = _runs(np.take_along_axis(marks, by_mark, axis=0))
    firsts = np.empty(marks.shape, dtype=np.intp)
    np.put_along_axis(firsts, by_mark, np.take_along_axis(by_mark, starts, axis=0), axis=0)
    by_first = np.argsort(firsts, axis=0, kind="stable")
    starts, ends = _runs(np.take_along_axis(firsts, by_first, axis=0))
    places = np.empty(marks.shape)
    np.put_along_axis(places, by_first, 1 + (starts + ends) / 2, axis=0)
    return places


def _runs(values: FloatArray | IntArray) -> tuple[IntArray, IntArray]:
    """Return where the run of equal values around each one starts and ends, (size, n_problems) each."""
    rows = np.arange(len(values))[:, None]
    differs, edge = values[1:] != values[:-1], np.ones((1, values.shape[1]), dtype=bool)
    starts = np.maximum.accumulate(np.where(np.concatenate([edge, differs]), rows, 0), axis=0)
    ends = np.where(np.concatenate([differs, edge]), rows, len(values))
    return starts, np.minimum.accumulate(ends[::-1], axis=0)[::-1]


def marks_of_tables(net: FloatArray) -> FloatArray:
    """Return a number for each candidate that only interchangeable ones share, (size, n_problems).

    net: float, (n_problems, size, size), rounded. Gain of each candidate above each other one.
    """
    marks = np.zeros(net.shape[:2])
    for other, number in enumerate(_numbers(net.shape[1])):
        marks += number * net[:, :, other]  # added up in the same sequence for all, so equal gains give equal marks
    return marks.T


def marks_of_pairs(net: FloatArray) -> FloatArray:
    """Return what `marks_of_tables` does. net: float, (n_pairs, n_problems), in the order of `np.triu_indices`."""
    size = number_in_pairs(len(net))
    gains, numbers = rounded(net), _numbers(size)
    marks = np.zeros((size, net.shape[1]))
    for lower, row in enumerate(pair_rows(size)):
        marks[lower + 1 :] -= numbers[lower] * gains[row]
        for higher in range(lower + 1, size):
            marks[lower] += numbers[higher] * gains[row][higher - lower - 1]
    return marks


def _numbers(size: int) -> FloatArray:
    """Return numbers whose sums with other factors differ, (size,)."""
    return np.random.default_rng(0).random(size)
