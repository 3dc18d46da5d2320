import numpy as np
import pytest

from evenhand.numerics.pairs import (
    column_differences,
    number_in_pairs,
    pair_indices,
    pair_rows,
    pair_signs,
    row_differences,
)


def test_pairs_of_one_lower_thing_lie_together():
    low, _ = pair_indices(5)

    assert [set(low[row].tolist()) for row in pair_rows(5)] == [{0}, {1}, {2}, {3}]


@pytest.mark.parametrize("n", [0, 1, 2, 5, 70])
def test_number_in_pairs_is_the_number_of_things_that_have_these_pairs(n):
    low, _ = pair_indices(n)

    assert number_in_pairs(len(low)) == max(n, 1)


@pytest.mark.parametrize("n", [1, 2, 5, 70])
def test_differences_are_the_lower_less_the_higher_of_each_pair(n):
    rows = np.random.default_rng(0).normal(size=(3, n))
    low, high = np.triu_indices(n, 1)

    expected = rows[:, low] - rows[:, high]

    assert (row_differences(rows) == expected).all()
    assert (column_differences(rows.T) == expected.T).all()


def test_differences_of_columns_can_be_written_into_an_array():
    columns, out = np.array([[3.0], [1.0]]), np.zeros((1, 1))

    column_differences(columns, out=out)

    assert out == 2


def test_signs_of_pairs_sum_what_each_thing_has_more_than_the_others():
    surplus = np.array([1.0, 0.0, -1.0])  # of 0 over 1, of 0 over 2, of 1 over 2

    assert (pair_signs(3) @ surplus).tolist() == [1, -2, 1]
