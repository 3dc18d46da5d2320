"""Accuracy on the comparisons of which a judge is surest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.numerics.accuracy import NO_TRUTH
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.reliability.coverage import COVERAGES, accuracy_at_coverages


def answers(p_first):
    """One context of two candidates for each answer."""
    n = len(p_first)
    return Comparisons(2 * n, 2 * np.arange(n), 2 * np.arange(n) + 1, np.array(p_first), 2 * np.arange(n))


def values(p_first, right):
    return [figure.value for figure in accuracy_at_coverages(answers(p_first), np.array(right))]


def test_accuracy_counts_the_surest_answers_first():
    p_first = [0.95, 0.1, 0.8, 0.3, 0.65, 0.6, 0.42, 0.45, 0.53, 0.51]
    right = [1, 0, 1, 0, 1, 0, 1, 0, 1, 0]

    assert values(p_first, right) == pytest.approx([1, 1, 1, 1, 1, 5 / 6, 5 / 7, 6 / 8, 7 / 9, 7 / 10])


def test_equally_sure_answers_count_in_equal_part():
    assert values([0.9, 0.1, 0.9, 0.1], [1.0, 1.0, 1.0, 0.0]) == pytest.approx([0.75] * len(COVERAGES))


@given(seed=st.integers(0, 1000))
def test_order_of_the_answers_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    p_first, right = rng.integers(0, 11, 30) / 10, rng.integers(0, 2, 30).astype(float)
    order = rng.permutation(30)

    assert values(p_first, right) == pytest.approx(values(p_first[order], right[order]))


def test_answers_without_a_human_preference_do_not_count():
    assert values([0.9, 0.99], [0.0, np.nan]) == [0.0] * len(COVERAGES)


def test_accuracy_is_undefined_without_a_human_preference():
    assert {figure.undefined for figure in accuracy_at_coverages(answers([0.9]), np.array([np.nan]))} == {NO_TRUTH}


def test_intervals_are_over_contexts():
    rng = np.random.default_rng(0)
    p_first = rng.random(200)

    last = accuracy_at_coverages(answers(p_first), (rng.random(200) < p_first).astype(float))[-1]

    assert last.low < last.value < last.high
    assert last.n == 200
