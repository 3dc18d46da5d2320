import numpy as np
import pytest
import scipy.stats

from rankings.numerics.correlation.kendall_cross_tables import cross_table, taus_of


def test_a_cross_table_counts_how_often_values_meet():
    table = cross_table(np.array([0.5, 2.0, 0.5, 0.5]), np.array([7.0, 7.0, 1.0, 7.0]), most_cells=4)

    assert table.tolist() == [[1, 2], [0, 1]]


def test_a_cross_table_of_too_many_values_is_not_made():
    assert cross_table(np.arange(3.0), np.arange(2.0).repeat(2)[:3], most_cells=5) is None


@pytest.mark.parametrize("variant", ["b", "c"])
@pytest.mark.parametrize("values", [2, 5, 300])
def test_kendall_of_a_cross_table_is_that_of_scipy_to_the_last_digit(variant, values):
    rng = np.random.default_rng(values)
    one, other = rng.integers(0, values, 300).astype(float), rng.integers(0, 7, 300) / 3

    table = cross_table(one, one + other, most_cells=1 << 20)

    assert taus_of(table, variant)[variant] == scipy.stats.kendalltau(one, one + other, variant=variant).statistic


def test_kendall_of_equal_lists_is_exactly_one():
    values = np.arange(7.0)

    assert taus_of(cross_table(values, values, most_cells=49), "b", "c") == {"b": 1, "c": 1}
    assert taus_of(cross_table(values, -values, most_cells=49), "b", "c") == {"b": -1, "c": -1}
