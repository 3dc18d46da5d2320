import numpy as np
import pytest

from evenhand.numerics import Comparisons
from evenhand.numerics.preferences import (
    NOT_KNOWN_BEFORE,
    score_shift,
    thinking_flips,
    thinking_shift,
)


def comparisons(p_first):
    """Comparisons of two candidates in each context, the first two in both orders."""
    first, second = [0, 1, 2, 4], [1, 0, 3, 5]
    return Comparisons(6, first, second, p_first, starts=[0, 2, 4])


def test_thinking_shift_is_the_mean_absolute_difference():
    shift = thinking_shift(comparisons([0.9, 0.2, 0.6, 0.4]), np.array([0.4, 0.3, 0.6, 0.8]))

    assert (shift.value, shift.n) == (pytest.approx((0.5 + 0.1 + 0.0 + 0.4) / 4), 4)
    assert shift.low <= shift.value <= shift.high


def test_thinking_flips_count_decisions_that_differ_and_ties_differ_from_both_sides():
    flips = thinking_flips(comparisons([0.9, 0.2, 0.5, 0.5]), np.array([0.4, 0.3, 0.6, 0.5]))

    assert (flips.value, flips.n) == (0.5, 4)


def test_comparisons_without_an_earlier_answer_are_left_out():
    answered = comparisons([0.9, 0.2, 0.6, 0.4])
    before = np.array([0.5, np.nan, np.nan, np.nan])

    assert thinking_shift(answered, before).value == pytest.approx(0.4)
    assert thinking_flips(answered, before).n == 1


def test_figures_of_thinking_are_undefined_without_an_earlier_answer():
    before = np.full(4, np.nan)

    for figure in (thinking_shift, thinking_flips):
        assert figure(comparisons([0.9, 0.2, 0.6, 0.4]), before).undefined == NOT_KNOWN_BEFORE


def test_score_shift_is_the_mean_absolute_difference_of_known_scores():
    scores, before = np.array([4.0, 2.0, np.nan, 5.0]), np.array([3.0, 2.5, 1.0, np.nan])

    shift = score_shift(np.array([0, 0, 1, 1]), scores, before, 2)

    assert (shift.value, shift.n) == (0.75, 2)


def test_score_shift_is_undefined_without_an_earlier_score():
    shift = score_shift(np.array([0, 1]), np.array([4.0, 2.0]), np.full(2, np.nan), 2)

    assert shift.undefined == "no candidate has a score both with and without thinking"
