import numpy as np
import pytest

from evenhand.numerics.rankings.order_scores import marks_of_pairs, marks_of_tables, scores_of_orders


def test_scores_of_orders_are_minus_the_positions():
    scores = scores_of_orders(np.array([[2], [0], [1]]), np.array([[0.1], [0.2], [0.3]]))

    assert scores.ravel().tolist() == [-2.0, -3.0, -1.0]


def test_interchangeable_candidates_share_the_mean_of_their_places_from_the_first_on():
    orders = np.array([[3, 0], [0, 1], [1, 2], [2, 3], [4, 4]])
    marks = np.array([[0.5, 0.1], [0.5, 0.2], [0.7, 0.3], [0.7, 0.4], [0.7, 0.5]])

    scores = scores_of_orders(orders, marks)

    assert scores.T.tolist() == [[-4.5, -4.5, -2.0, -2.0, -2.0], [-1.0, -2.0, -3.0, -4.0, -5.0]]


@pytest.mark.parametrize("size", [2, 3, 7])
def test_marks_are_equal_where_all_gains_are_equal(size):
    """Random wins of 1, 0 or -1, in a thousand problems."""
    low, high = np.triu_indices(size, 1)
    pairs = np.random.default_rng(size).integers(-1, 2, (len(low), 1_000)).astype(np.float64)
    tables = np.zeros((1_000, size, size))
    tables[:, low, high], tables[:, high, low] = pairs.T, -pairs.T
    alike = (tables[:, :, None] == tables[:, None]).all(axis=-1)

    for marks in (marks_of_pairs(pairs), marks_of_tables(tables)):
        assert ((marks[:, None] == marks[None]).transpose(2, 0, 1) == alike).all()
    assert alike.sum() > 1_000 * size
