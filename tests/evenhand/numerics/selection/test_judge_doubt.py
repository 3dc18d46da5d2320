"""The doubt of judges about pairs."""

import numpy as np
import pytest

from evenhand.numerics.selection.judge_doubt import doubt_of_pairs


def doubts(*answers: tuple[int, int, int, float]) -> dict[tuple[int, int], float]:
    """answers: run, first, second, p_first."""
    run, first, second, p_first = (np.array(column) for column in zip(*answers, strict=True))
    result = doubt_of_pairs(run, first, second, p_first)
    pairs = zip(result.lower.tolist(), result.higher.tolist(), strict=True)
    return dict(zip(pairs, result.values.tolist(), strict=True))


def test_doubt_is_one_for_an_even_probability_and_zero_for_a_certain_one():
    assert doubts((1, 0, 1, 0.5), (1, 1, 2, 1.0), (1, 3, 2, 0.0)) == {(0, 1): 1.0, (1, 2): 0.0, (2, 3): 0.0}


def test_doubt_is_large_if_the_orders_contradict_each_other():
    assert doubts((1, 0, 1, 0.9), (1, 1, 0, 0.9))[0, 1] == pytest.approx(1.0)
    assert doubts((1, 0, 1, 0.9), (1, 1, 0, 0.1))[0, 1] == pytest.approx(0.2)


def test_doubt_is_large_if_two_judges_contradict_each_other():
    assert doubts((1, 0, 1, 1.0), (2, 0, 1, 0.0))[0, 1] == pytest.approx(1.0)
    assert doubts((1, 0, 1, 1.0), (2, 0, 1, 1.0))[0, 1] == pytest.approx(0.0)


def test_doubt_weighs_runs_equally_although_one_answered_more_orders():
    both_orders, one_order = [(1, 0, 1, 1.0), (1, 1, 0, 0.0)], [(2, 0, 1, 0.0)]

    assert doubts(*both_orders, *one_order)[0, 1] == pytest.approx(1.0)


def test_doubt_weighs_orders_equally_although_one_was_answered_twice():
    assert doubts((1, 0, 1, 1.0), (1, 0, 1, 1.0), (1, 1, 0, 1.0))[0, 1] == pytest.approx(1.0)
