"""Win rates of systems, counted by hand."""

import numpy as np
import pytest

from evenhand.numerics import Comparisons
from evenhand.numerics.preferences import NO_OTHER_SYSTEM, win_rates

ONE, OTHER, UNKNOWN = 0, 1, -1


def test_win_rates_count_wins_and_half_of_the_ties_against_other_systems():
    comparisons = Comparisons(4, [0, 1, 2, 0], [1, 0, 3, 2], [0.9, 0.2, 0.5, 0.7], [0])
    systems = np.array([ONE, OTHER, ONE, OTHER])

    one, other = win_rates(comparisons, np.array([1, 0, 0.5, 1]), systems)

    assert (one.value, one.n) == (pytest.approx(2.5 / 3), 3)  # the last comparison is of one system with itself
    assert (other.value, other.n) == (pytest.approx(0.5 / 3), 3)


def test_win_rates_of_two_systems_are_complements_with_mirrored_intervals():
    rng = np.random.default_rng(3)
    starts = np.arange(0, 80, 2)
    comparisons = Comparisons(80, starts, starts + 1, rng.random(40), starts)

    one, other = win_rates(comparisons, np.round(comparisons.p_first), np.arange(80) % 2)

    assert one.value + other.value == pytest.approx(1)
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low))
    assert one.low < one.value < one.high


def test_win_rate_of_a_system_without_a_rival_says_so():
    comparisons = Comparisons(3, [0, 0], [1, 2], [0.9, 0.2], [0])

    rates = win_rates(comparisons, np.array([1.0, 0.0]), np.array([ONE, ONE, UNKNOWN]))

    assert [figure.undefined for figure in rates] == [NO_OTHER_SYSTEM]
