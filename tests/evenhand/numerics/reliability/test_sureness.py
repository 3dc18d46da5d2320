"""Measures of sureness."""

import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.reliability.coverage import (
    accuracy_at_coverages,
    member_sureness,
    order_sureness,
    probability_sureness,
)


def pairs(*rows, n_candidates=3):
    first, second, p_first = (np.array(column) for column in zip(*rows, strict=True))
    return Comparisons(n_candidates, first, second, p_first.astype(float))


def test_probability_sureness_is_the_distance_from_one_half():
    assert probability_sureness(pairs((0, 1, 0.9), (1, 2, 0.5), (2, 0, 0.2))) == pytest.approx([0.4, 0.0, 0.3])


def test_answers_and_their_opposites_are_exactly_as_sure():
    """In floating point, 0.7 is less far from 0.5 than 0.3, and 0.9 less than 0.1."""
    comparisons = pairs((0, 1, 0.7), (1, 2, 0.3), (0, 2, 0.9), (2, 0, 0.1))

    sureness = probability_sureness(comparisons)

    assert sureness[0] == sureness[1] == 0.2
    assert sureness[2] == sureness[3] == 0.4


def test_order_sureness_is_the_same_for_both_orders_and_unknown_for_one():
    sureness = order_sureness(pairs((0, 1, 0.9), (1, 0, 0.1), (1, 2, 0.8), (2, 1, 0.8), (0, 2, 0.7)))

    assert sureness == pytest.approx([0.5, 0.5, 0.2, 0.2, np.nan], nan_ok=True)


def test_member_sureness_falls_with_the_spread_of_the_members():
    sureness = member_sureness(np.array([[0.9, 1.0, 0.3], [0.9, 0.0, np.nan]]))

    assert sureness == pytest.approx([0.5, 0.0, np.nan], nan_ok=True)


def test_coverage_by_another_measure_leaves_out_comparisons_without_it():
    comparisons = pairs(*[(0, 1, 0.9), (1, 0, 0.9), (1, 2, 0.9), (2, 1, 0.1), (0, 2, 0.6)])
    right = np.array([1.0, 0.0, 1.0, 0.0, 0.0])

    figures = accuracy_at_coverages(comparisons, right, order_sureness(comparisons))

    assert (figures[-1].value, figures[-1].n) == (0.75, 4)
    assert figures[4].value == 1
