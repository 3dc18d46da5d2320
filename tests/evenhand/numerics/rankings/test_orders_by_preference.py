import numpy as np
import pytest

from evenhand.numerics.rankings.likelihood import likely_places, net_gains
from evenhand.numerics.rankings.mean_places import alike_numbers, mean_places
from evenhand.numerics.rankings.orders_by_preference import Relations, sorted_by_component


def gains_without_circles(size, n_problems=40):
    """Return preferences of some pairs that follow one hidden order. The others are ties."""
    rng = np.random.default_rng(size)
    low, high = np.triu_indices(size, 1)
    hidden = rng.permuted(np.tile(np.arange(size)[:, None], n_problems), axis=0)
    asked = rng.random((len(low), n_problems)) < 3 / size
    return np.where(asked, np.sign(hidden[low] - hidden[high]) * rng.uniform(0.1, 2, asked.shape), 0.0)


@pytest.mark.parametrize("size", [2, 5, 16, 17, 40])
def test_orders_sorted_by_component_give_the_most_likely_places_where_no_preferences_go_round(size):
    net = gains_without_circles(size)
    orders = np.random.default_rng(1).permuted(np.tile(np.arange(size)[:, None], net.shape[1]), axis=0)
    for_lower = np.zeros((net.shape[1], size, size))
    for_lower[:, *np.triu_indices(size, 1)] = net.T

    relations = Relations.of(net)

    places = mean_places(sorted_by_component(orders, relations), relations, alike_numbers(net))

    assert places.T.tolist() == likely_places(net_gains(for_lower)).tolist()


def test_component_ranks_are_shared_by_candidates_whose_preferences_go_round():
    """0 > 1 > 2 > 0, and 4 > 1; nothing is said of 3."""
    by_pair = {(0, 1): 1.0, (1, 2): 0.5, (0, 2): -0.1, (1, 4): -2.0}
    net = np.array([[by_pair.get(pair, 0.0)] for pair in zip(*np.triu_indices(5, 1), strict=True)])

    places = Relations.of(net).ranks.ravel().tolist()

    assert places[0] == places[1] == places[2]
    assert places[3] < places[4] < places[0]


@pytest.mark.parametrize("size", [9, 40])
def test_relations_of_a_large_problem_are_read_as_those_of_a_small_one(size):
    rng = np.random.default_rng(0)
    net = rng.normal(size=(size * (size - 1) // 2, 1)) * (rng.random((size * (size - 1) // 2, 1)) < 3 / size)
    table = np.zeros((size, size))
    table[np.triu_indices(size, 1)] = net[:, 0]

    large = Relations.of_large(table - table.T)

    assert [part.tolist() for part in large] == [part.tolist() for part in Relations.of(net)]
    assert len(set(large.ranks.ravel().tolist())) < size  # some preferences go round


def test_sorted_by_component_keeps_the_sequence_of_candidates_whose_preferences_go_round():
    net = np.array([[1.0], [-0.1], [0.0], [0.5], [0.0], [0.0]])  # 0 > 1 > 2 > 0; nothing is said of 3

    assert sorted_by_component(np.array([[2], [0], [3], [1]]), Relations.of(net)).ravel().tolist() == [2, 0, 1, 3]


def test_component_ranks_take_what_rounds_to_nothing_for_a_tie():
    assert Relations.of(np.array([[-4e-10, -6e-10]])).ranks.tolist() == [[0, 2], [1, 1]]
