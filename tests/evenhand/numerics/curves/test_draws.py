import numpy as np

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.curves.draws import draw_orders, order_of_keys
from evenhand.numerics.fitting.batches import batches


def test_order_of_keys_is_argsort():
    keys = np.random.default_rng(0).random(100_000)

    assert (order_of_keys(keys) == np.argsort(keys)).all()


def test_order_of_keys_is_argsort_for_keys_that_hardly_differ():
    keys = 0.5 + np.random.default_rng(0).permutation(1_000) * 2.0**-50

    assert (order_of_keys(keys) == np.argsort(keys)).all()


def test_random_orders_are_the_same_drawn_alone_and_together():
    first, second = (pairs.ravel() for pairs in np.nonzero(~np.eye(40, dtype=bool)))
    [batch] = batches(Comparisons(40, first, second, np.full(len(first), 0.5)), np.ones(1, dtype=bool))

    together = draw_orders("random", batch, np.zeros(0), 3, np.random.default_rng(0))
    rng = np.random.default_rng(0)
    alone = [draw_orders("random", batch, np.zeros(0), 1, rng) for _ in range(3)]

    assert np.concatenate([one.steps for one in alone], axis=1).tolist() == together.steps.tolist()
    assert [one.covering.tolist() for one in alone] == [[39]] * 3
