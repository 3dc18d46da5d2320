"""The comparisons that a curve needs, and its value at a budget."""

import numpy as np
import pytest

from evenhand.numerics.curves.curve_points import NOT_POSITIVE, comparisons_needed, value_at

BUDGETS = np.array([10.0, 20.0, 40.0])
MEANS = np.array([0.2, 0.4, 0.5])


@pytest.mark.parametrize(
    ("share", "needed"),
    [
        (0.8, 20),  # 0.4, a point of the curve
        (0.9, 30),  # 0.45, in the middle of 20 and 40
        (0.91, 31),  # 0.455, at exactly 31
        (0.905, 31),  # 0.4525, at 30.5, rounded up
        (0.3, 10),  # below the first point
        (1.0, 40),
    ],
)
def test_comparisons_needed_are_on_the_line_between_two_points(share, needed):
    assert comparisons_needed(BUDGETS, MEANS, share).value == needed


def test_comparisons_needed_are_those_of_the_first_crossing():
    assert comparisons_needed(np.array([10.0, 20.0, 30.0]), np.array([0.5, 0.3, 0.5]), 0.98).value == 10


def test_comparisons_needed_are_undefined_without_a_positive_value():
    figure = comparisons_needed(BUDGETS, -MEANS, 0.95)

    assert (figure.value, figure.undefined) == (None, NOT_POSITIVE)


@pytest.mark.parametrize(("budget", "value"), [(10, 0.2), (15, 0.3), (40, 0.5)])
def test_value_at_a_budget_is_on_the_line_between_two_points(budget, value):
    assert value_at(BUDGETS, MEANS, budget).value == pytest.approx(value)


@pytest.mark.parametrize(("budget", "end"), [(9, "10"), (41, "40")])
def test_value_at_a_budget_that_is_not_drawn_is_undefined(budget, end):
    figure = value_at(BUDGETS, MEANS, budget)

    assert figure.value is None
    assert end in figure.undefined
