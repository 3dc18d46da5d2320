from itertools import permutations

import numpy as np
import pytest

from evenhand.numerics.rankings.orders_by_insertion import improved_orders

SIZE = 5
LOW, HIGH = np.triu_indices(SIZE, 1)


def gained(order, net):
    place = np.argsort(order)
    return float(np.where(place[LOW] < place[HIGH], net, -net).sum())


def insertions(order):
    for taken in range(SIZE):
        rest = np.delete(order, taken)
        yield from (np.insert(rest, to, order[taken]) for to in range(SIZE))


@pytest.mark.parametrize("start", [None, np.tile(np.arange(SIZE)[:, None], 30)])
def test_improved_orders_are_improved_by_no_insertion(start):
    net = np.random.default_rng(0).normal(size=(len(LOW), 30))

    orders = improved_orders(net, start)

    for problem, order in enumerate(orders.T):
        best = max(gained(other, net[:, problem]) for other in insertions(order))
        assert gained(order, net[:, problem]) == pytest.approx(best, abs=1e-5)


def test_improved_orders_find_most_of_the_best_orders():
    net = np.random.default_rng(1).normal(size=(len(LOW), 20))

    orders = improved_orders(net, None)

    best = [max(gained(np.array(order), column) for order in permutations(range(SIZE))) for column in net.T]
    found = [gained(order, column) for order, column in zip(orders.T, net.T, strict=True)]
    assert np.isclose(found, best).sum() >= 18


def test_improved_orders_leave_equal_orders_as_they_are():
    start = np.array([[2], [0], [1], [3], [4]])

    assert improved_orders(np.zeros((len(LOW), 1)), start).tolist() == start.tolist()
