import numpy as np
import pytest

from rankings.numerics.figure import Figure
from rankings.numerics.intervals import (
    mean_figures,
    mean_of_ratios,
    ratio_figure,
    ratio_figures,
    statistic_of_sums,
)


def test_ratio_is_of_sums_not_a_mean_of_ratios():
    figure = ratio_figure(np.array([1.0, 3.0]), np.array([1.0, 9.0]), if_empty="nothing")

    assert (figure.value, figure.n) == (0.4, 10)


def test_ratio_has_the_interval_of_a_binomial_share():
    """For one trial a context, the bootstrap must agree with the normal interval of a share."""
    wins = np.repeat([1.0, 0.0], [600, 400])

    figure = ratio_figure(wins, np.ones(1000), if_empty="nothing")

    half = 1.96 * np.sqrt(0.6 * 0.4 / 1000)
    assert (figure.low, figure.high) == pytest.approx((0.6 - half, 0.6 + half), abs=0.003)


def test_ratio_resamples_contexts_not_comparisons():
    """Ten contexts that are right or wrong as a whole tell no more than ten trials do."""
    wins = np.repeat([100.0, 0.0], [5, 5])

    figure = ratio_figure(wins, np.full(10, 100.0), if_empty="nothing")

    assert figure.high - figure.low == pytest.approx(2 * 1.96 * np.sqrt(0.25 / 10), abs=0.1)


def test_ratio_is_the_same_each_time():
    wins = np.random.default_rng(0).random(30)

    assert ratio_figure(wins, np.ones(30), if_empty="") == ratio_figure(wins, np.ones(30), if_empty="")


def test_ratio_leaves_out_contexts_that_have_nothing():
    with_empty = ratio_figure(np.array([1.0, 0, 2, 0]), np.array([2.0, 0, 2, 0]), if_empty="")

    assert with_empty == ratio_figure(np.array([1.0, 2]), np.array([2.0, 2]), if_empty="")


def test_means_are_ratios_of_the_contexts_that_count():
    values = np.random.default_rng(0).random((30, 3))
    values[4:7, 1] = values[0, 2] = np.nan

    figures = mean_figures(values)

    columns = [column[~np.isnan(column)] for column in values.T]
    for figure, column in zip(figures, columns, strict=True):
        alone = ratio_figure(column, np.ones(len(column)), if_empty="")
        assert (figure.value, figure.low, figure.high) == pytest.approx((alone.value, alone.low, alone.high))
        assert figure.n == len(column)


def test_means_of_one_context_or_none_have_no_interval():
    values = np.array([[0.5, np.nan], [np.nan, np.nan]])

    one, none = mean_figures(values)

    assert one == Figure(0.5, n=1, undefined="an interval needs at least two contexts")
    assert none == Figure(None, n=0, undefined="no context counts")


def test_ratio_of_nothing_says_why():
    assert ratio_figure(np.zeros(3), np.zeros(3), if_empty="no votes") == Figure(None, None, None, 0, "no votes")


def test_ratio_of_one_context_has_no_interval():
    figure = ratio_figure(np.array([3.0]), np.array([4.0]), if_empty="")

    assert figure == Figure(0.75, None, None, 4, "an interval needs at least two contexts")


def test_ratios_have_the_values_of_each_ratio_and_its_interval():
    rng = np.random.default_rng(5)
    below = rng.integers(0, 5, (200, 2)).astype(float)
    above = np.floor(below * rng.random((200, 2)))

    together = ratio_figures(above, below, if_empty="nothing")

    for column, figure in enumerate(together):
        alone = ratio_figure(above[:, column], below[:, column], if_empty="nothing")
        assert (figure.value, figure.n) == (pytest.approx(alone.value), alone.n)
        assert (figure.low, figure.high) == pytest.approx((alone.low, alone.high), abs=0.01)


def test_ratios_that_do_not_exist_say_why():
    above, below = np.array([[1.0, 2, 0], [0, 1, 0]]), np.array([[2.0, 2, 0], [0, 2, 0]])

    one_context, whole, empty = ratio_figures(above, below, if_empty="nothing")

    assert one_context == Figure(0.5, None, None, 2, "an interval needs at least two contexts")
    assert (whole.value, whole.n) == (0.75, 4)
    assert empty == Figure.missing("nothing", n=0)


def test_ratios_of_nothing_say_why():
    assert ratio_figures(np.zeros((3, 2)), np.zeros((3, 2)), if_empty="nothing") == [Figure.missing("nothing", n=0)] * 2


def test_mean_of_ratios_weighs_subsets_alike():
    above = np.array([[1.0, 0], [1, 0], [0, 1], [0, 0]])
    below = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])

    figure = mean_of_ratios(above, below, if_empty="")

    assert (figure.value, figure.n) == (0.75, 4)
    assert figure.low <= 0.75 <= figure.high


def test_mean_of_ratios_leaves_out_empty_subsets():
    figure = mean_of_ratios(np.array([[1.0, 0]]), np.array([[2.0, 0]]), if_empty="")

    assert figure == Figure(0.5, n=2, undefined="an interval needs at least two contexts")
    assert mean_of_ratios(np.zeros((2, 2)), np.zeros((2, 2)), if_empty="none").undefined == "none"


def test_interval_over_units_of_few_kinds_is_that_of_drawing_them_one_by_one():
    """A share of 1,000 units, and the same with a part that tells all units apart and counts for nothing."""
    right = (np.arange(1_000) % 3 == 0).astype(np.float64)
    alike = np.stack([right, np.ones(1_000)], axis=1)
    apart = np.concatenate([alike, np.arange(1_000.0)[:, None]], axis=1)

    at_once, one_by_one = (
        statistic_of_sums(lambda total: total[:, 0] / total[:, 1], parts, n=1_000, if_undefined="")
        for parts in (alike, apart)
    )

    assert at_once.value == one_by_one.value
    assert (at_once.low, at_once.high) == pytest.approx((one_by_one.low, one_by_one.high), abs=0.005)


def test_ratios_draw_no_context_that_counts_in_none_of_them():
    above, below = np.random.default_rng(1).random((20, 2)), np.ones((20, 2))
    empty = np.zeros((20, 2))

    alone = ratio_figures(above, below, if_empty="nothing")

    assert ratio_figures(np.vstack([empty, above]), np.vstack([empty, below]), if_empty="nothing") == alone
