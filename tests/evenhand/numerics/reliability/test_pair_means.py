"""The mean P(first) of each ordered pair of systems."""

import numpy as np
import pytest

from evenhand.numerics import Comparisons
from evenhand.numerics.reliability.pair_means import PairMeans

SYSTEMS = np.array([0, 1, 2, 0, 1, -1])
COMPARISONS = Comparisons(
    n_candidates=6,
    first=np.array([0, 1, 3, 0, 3]),
    second=np.array([1, 0, 4, 2, 5]),
    p_first=np.array([0.9, 0.3, 0.5, 0.2, 1.0]),
    starts=np.array([0, 3]),
)


def matrix():
    return PairMeans.of(COMPARISONS, SYSTEMS, n_systems=3)


def test_cell_is_the_mean_over_contexts_with_the_row_shown_first():
    means = matrix()

    assert means.means[0, 1] == pytest.approx((0.9 + 0.5) / 2)
    assert means.means[1, 0] == 0.3
    assert means.counts.tolist() == [[0, 2, 1], [1, 0, 0], [0, 0, 0]]


def test_pairs_that_were_not_asked_and_unknown_systems_have_no_mean():
    assert np.isnan(matrix().means[[0, 2, 1, 2], [0, 0, 2, 1]]).all()
    assert matrix().counts.sum() == len(COMPARISONS) - 1


def test_other_order_moves_rows_and_columns_together():
    turned = matrix().in_order(np.array([1, 0]))

    assert turned.means[0, 1] == 0.3
    assert turned.counts.tolist() == [[0, 1], [2, 0]]


def test_preference_for_the_lower_row_is_the_mean_over_the_orders_that_were_asked():
    first_two, only_one_order, never = matrix().preferences

    assert first_two == pytest.approx(((1 - 0.7) + 0.3) / 2)
    assert only_one_order == pytest.approx(1 - 0.2)
    assert np.isnan(never)


def test_law_swapping_all_comparisons_transposes_the_complement():
    swapped = Comparisons(
        n_candidates=6,
        first=COMPARISONS.second,
        second=COMPARISONS.first,
        p_first=1 - COMPARISONS.p_first,
        starts=COMPARISONS.starts,
    )

    turned = PairMeans.of(swapped, SYSTEMS, n_systems=3)

    assert turned.means == pytest.approx(1 - matrix().means.T, nan_ok=True)
