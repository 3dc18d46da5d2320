import numpy as np
import pytest

from evenhand.numerics.rankings import exact_ordering
from evenhand.numerics.rankings.exact_ordering import best_orders
from evenhand.numerics.rankings.linear_ordering import best_order
from evenhand.numerics.scores import rounded_units


def problems_of(*, hard, seed=0, n_problems=40, largest=9):
    """Nets of 2 to `largest` candidates, shuffled and padded, and their sizes; of hard answers, many orders tie."""
    rng = np.random.default_rng(seed)
    nets, sizes = np.zeros((n_problems, largest, largest)), rng.integers(2, largest + 1, n_problems)
    for net, size in zip(nets, sizes, strict=True):
        drawn = rng.choice([-1.0, 0.0, 1.0], (size, size), p=[0.25, 0.15, 0.6]) * 13.815509557
        if not hard:
            drawn = rng.normal(0.5, 1.0, (size, size))
        above = np.triu(drawn, 1)
        shuffled = rng.permutation(size)
        net[:size, :size] = (above - above.T)[np.ix_(shuffled, shuffled)]
    return nets, sizes


def fully_searched(nets, sizes):
    orders = np.full(nets.shape[:2], -1)
    for order, net, size in zip(orders, nets, sizes, strict=True):
        order[:size] = best_order(rounded_units(net[:size, :size]))
    return orders


@pytest.mark.parametrize("hard", [False, True])
def test_best_orders_are_those_of_the_full_search(hard):
    nets, sizes = problems_of(hard=hard)

    np.testing.assert_array_equal(best_orders(nets, sizes), fully_searched(nets, sizes))


@pytest.mark.parametrize("weight", [13.815509557, 0.1, 1 / 3])
def test_equally_good_orders_are_chosen_from_alike_whatever_an_answer_weighs(weight):
    """Sums of such weights in other sequences round to other numbers."""
    nets, sizes = problems_of(hard=True)
    votes = np.rint(nets / 13.815509557)

    np.testing.assert_array_equal(best_orders(votes * weight, sizes), best_orders(votes, sizes))


def test_best_orders_of_many_problems_come_in_parts(monkeypatch):
    nets, sizes = problems_of(hard=False)
    together = best_orders(nets, sizes)

    monkeypatch.setattr(exact_ordering, "_PROBLEMS_AT_ONCE", 7)

    np.testing.assert_array_equal(best_orders(nets, sizes), together)


@pytest.mark.parametrize("most_sets", [0, 6])
def test_best_orders_search_fully_where_too_many_sets_are_left(monkeypatch, most_sets):
    nets, sizes = problems_of(hard=True)

    monkeypatch.setattr(exact_ordering, "_MOST_SETS", most_sets)

    np.testing.assert_array_equal(best_orders(nets, sizes), fully_searched(nets, sizes))


def test_best_orders_need_no_full_search_where_answers_are_mostly_consistent(monkeypatch):
    nets, sizes = problems_of(hard=False)
    expected = fully_searched(nets, sizes)

    monkeypatch.setattr(exact_ordering, "best_order", None)

    np.testing.assert_array_equal(best_orders(nets, sizes), expected)


def test_best_orders_of_no_problem_are_none():
    assert best_orders(np.zeros((0, 3, 3)), np.zeros(0, dtype=np.intp)).shape == (0, 3)
