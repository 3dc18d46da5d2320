from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import spearmanr

from evenhand.numerics.exceptions import InvalidComparisons
from tests.evenhand.numerics.curves.plain_pairs_sort import pairs_sort


def judge_of(truth):
    return lambda first, second: expit(truth[first] - truth[second])


def test_pairs_sort_asks_what_merge_sort_asks():
    """Eight candidates in order: a merge sort compares 4 + 2 x 2 + 4 times if one list is always used up first."""
    result = pairs_sort(range(8), judge_of(-np.arange(8.0)))

    assert result.order.tolist() == list(range(8))
    assert result.comparisons == 4 + 4 + 4


def test_merges_begin_with_the_worst():
    """The worst of both halves meet first, the left one is shown first [Liu2024]."""
    asked = []
    judge = judge_of(-np.arange(4.0))

    pairs_sort(range(4), lambda first, second: asked.append((first, second)) or judge(first, second))

    assert asked == [(0, 1), (2, 3), (1, 3), (1, 2)]


@pytest.mark.parametrize("beam", [1, 20])
@given(start=st.permutations(range(9)))
def test_pairs_sort_recovers_the_order_of_consistent_answers(beam, start):
    truth = np.random.default_rng(0).permutation(9).astype(float)

    result = pairs_sort(start, judge_of(truth), beam=beam)

    assert result.order.tolist() == np.argsort(-truth).tolist()
    assert result.comparisons <= 9 * 4


def test_a_wide_beam_finds_the_most_probable_merge():
    """Two lists of three whose insides are certain: the best of all merges, tried one by one."""
    rng = np.random.default_rng(1)
    between = rng.uniform(0.3, 0.7, (3, 3))

    def ask(first, second):
        if (first < 3) == (second < 3):
            return 1.0 if first < second else 0.0
        return between[first, second - 3]

    def mean_log_probability(order):
        left, right, total, steps = [0, 1, 2], [3, 4, 5], 0.0, 0
        for candidate in reversed(order):
            if left and right:
                chance = between[left[-1], right[-1] - 3]
                total, steps = total + np.log(1 - chance if candidate == left[-1] else chance), steps + 1
            (left if candidate in left else right).remove(candidate)
        return total / steps

    merges = [
        p
        for p in permutations(range(6))
        if [c for c in p if c < 3] == [0, 1, 2] and [c for c in p if c > 2] == [3, 4, 5]
    ]

    found = pairs_sort(range(6), ask, beam=100, gap=0.5)

    assert mean_log_probability(found.order) == pytest.approx(max(map(mean_log_probability, merges)))


def test_a_beam_is_no_worse_than_greed_on_noisy_answers():
    rng = np.random.default_rng(2)
    greedy, wide = [], []
    for _ in range(30):
        truth = rng.normal(size=16)
        noisy = expit(truth[:, None] - truth + rng.normal(size=(16, 16)))
        start = rng.permutation(16).tolist()
        for beam, found in ((1, greedy), (50, wide)):
            order = pairs_sort(start, lambda i, j, p=noisy: p[i, j], beam=beam).order
            found.append(spearmanr(np.argsort(order), -truth).statistic)

    assert np.mean(wide) > np.mean(greedy) - 0.02
    assert np.mean(greedy) > 0.6


def test_pairs_sort_refuses_a_candidate_named_twice_and_an_empty_beam():
    with pytest.raises(InvalidComparisons, match="names a candidate twice"):
        pairs_sort([0, 0], judge_of(np.zeros(1)))
    with pytest.raises(InvalidComparisons, match="beam is 0"):
        pairs_sort([0, 1], judge_of(np.zeros(2)), beam=0)
