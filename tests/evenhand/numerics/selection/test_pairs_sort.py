from itertools import permutations

import numpy as np
import pytest

from evenhand.numerics.selection.pairs_sort import merged_orders, next_sort_pairs
from tests.evenhand.numerics.selection.plain_pairs_sort import pairs_sort

CONTEXTS, PROBLEMS = 3, 20


def recorded(size, *, decimals=9):
    """Answers of some contexts, the context of each problem, and its starting order."""
    rng = np.random.default_rng(size)
    answers = rng.uniform(size=(CONTEXTS, size, size)).round(decimals)
    rows = rng.integers(0, CONTEXTS, PROBLEMS)
    return answers, rows, rng.permuted(np.tile(np.arange(size), (PROBLEMS, 1)), axis=1)


@pytest.mark.parametrize("beam", [1, 2, 5])
@pytest.mark.parametrize(("size", "decimals"), [(2, 9), (5, 1), (9, 9), (9, 0)])
def test_many_orders_are_sorted_as_one_by_one(size, decimals, beam):
    answers, rows, starts = recorded(size, decimals=decimals)

    found = merged_orders(answers, rows, starts, beam=beam)

    alone = [
        pairs_sort(start, lambda i, j, row=row: answers[row, i, j], beam=beam)
        for row, start in zip(rows, starts.tolist(), strict=True)
    ]
    assert found.orders.tolist() == [each.order.tolist() for each in alone]
    assert found.comparisons.tolist() == [each.comparisons for each in alone]


@pytest.mark.parametrize("beam", [1, 20])
def test_consistent_answers_are_sorted_right_with_the_comparisons_of_a_merge_sort(beam):
    """Eight candidates: at most 4 + 2 x 3 + 7 comparisons; of those in order, one list is always used up first."""
    starts = np.random.default_rng(0).permuted(np.tile(np.arange(8), (PROBLEMS, 1)), axis=1)
    starts[0] = np.arange(8)
    answers = 1 / (1 + np.exp(np.arange(8.0)[:, None] - np.arange(8.0)))

    found = merged_orders(answers[None], np.zeros(PROBLEMS, dtype=int), starts, beam=beam)

    assert found.orders.tolist() == [list(range(8))] * PROBLEMS
    if beam == 1:
        assert found.comparisons[0] == 4 + 2 * 2 + 4
        assert found.comparisons.max() <= 4 + 2 * 3 + 7


def test_merges_begin_with_the_worst():
    """The worst of both halves meet first; the left one is shown first [Liu2024]."""
    answers, asked = np.full((4, 4), np.nan), []

    while pairs := next_sort_pairs(np.arange(4), answers):
        asked.append(pairs)
        for first, second in pairs:
            answers[first, second] = 0.9 if first < second else 0.1

    assert asked == [[(0, 1), (2, 3)], [(1, 3)], [(1, 2)]]


def test_a_wide_beam_finds_the_most_probable_merge():
    """Two lists of three whose insides are certain: the best of all merges, tried one by one."""
    answers = np.where(np.arange(6)[:, None] < np.arange(6), 1.0, 0.0)
    answers[:3, 3:] = np.random.default_rng(1).uniform(0.3, 0.7, (3, 3))
    halves = [[0, 1, 2], [3, 4, 5]]
    merges = [each for each in permutations(range(6)) if [[c for c in each if c in half] for half in halves] == halves]

    def mean_log_probability(order):
        left, right, total, steps = [0, 1, 2], [3, 4, 5], 0.0, 0
        for candidate in reversed(order):
            if left and right:
                chance = answers[left[-1], right[-1]]
                total, steps = total + np.log(1 - chance if candidate == left[-1] else chance), steps + 1
            (left if candidate in left else right).remove(candidate)
        return total / steps

    [found] = merged_orders(answers[None], np.zeros(1, dtype=int), np.arange(6)[None], beam=100, gap=0.5).orders

    assert mean_log_probability(found.tolist()) == pytest.approx(max(map(mean_log_probability, merges)))


@pytest.mark.parametrize("beam", [1, 4])
def test_orders_that_come_to_a_pair_without_an_answer_say_so(beam):
    """Only problems that ask for the pair, in that order, are touched."""
    answers, rows, starts = recorded(4)
    answers[0, 0, 1] = np.nan

    def asks_for_it(row, start):
        asked = []
        pairs_sort(
            start, lambda i, j: asked.append((i, j)) or float(np.nan_to_num(answers[row, i, j], nan=0.5)), beam=beam
        )
        return row == 0 and (0, 1) in asked

    found = merged_orders(answers, rows, starts, beam=beam)

    assert found.unanswered.tolist() == [
        asks_for_it(row, start) for row, start in zip(rows, starts.tolist(), strict=True)
    ]
    assert 0 < found.unanswered.sum() < (rows == 0).sum()
