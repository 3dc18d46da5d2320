"""Intervals over contexts: the rules, written out here for single figures, and how often they cover the truth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import t

from evenhand.numerics.figure import Figure
from evenhand.numerics.intervals import (
    NO_CONTEXT,
    ONE_OUTWEIGHS,
    TOO_FEW_CONTEXTS,
    TOO_FEW_TO_DRAW,
    coefficient_guard,
    macro_share,
    mean_figures,
    pairs_guard,
    pooled_mean,
    pooled_share,
    share_figure,
    share_figures,
    statistic_of_sums,
)
from evenhand.numerics.resampling import resamples

RIGHT = np.array([3.0, 1, 4, 0, 2.5])
ASKED = np.array([4.0, 2, 4, 1, 6])


def variance_and_degrees(numerators, denominators, guard=0.0):
    """Variance of a ratio, and its degrees of freedom, context by context."""
    total = sum(denominators)
    ratio = sum(numerators) / total
    effective = total**2 / sum(size**2 for size in denominators)
    squares = sum((above - ratio * below) ** 2 for above, below in zip(numerators, denominators, strict=True))
    return effective / (effective - 1) * (squares + guard) / total**2, effective - 1


def wilson(share, answers, quantile):
    centre = share + quantile**2 / (2 * answers)
    half = quantile * np.sqrt(share * (1 - share) / answers + quantile**2 / (4 * answers**2))
    return (centre - half) / (1 + quantile**2 / answers), (centre + half) / (1 + quantile**2 / answers)


def test_share_is_of_sums_not_a_mean_of_shares():
    figure = share_figure(np.array([1.0, 3.0]), np.array([1.0, 9.0]), if_empty="nothing")

    assert (figure.value, figure.n) == (0.4, 10)


def test_share_has_wilsons_interval_for_as_many_answers_as_would_vary_so_much():
    figure = share_figure(RIGHT, ASKED, if_empty="")

    variance, degrees = variance_and_degrees(RIGHT, ASKED)
    share = 10.5 / 17
    assert share * (1 - share) / variance < 17
    expected = wilson(share, share * (1 - share) / variance, t.ppf(0.975, degrees))
    assert (figure.low, figure.high) == pytest.approx(expected, abs=1e-12)


def test_answers_that_vary_less_than_chance_count_once_each():
    """Each context has three right answers of four. By chance, some would have two or four."""
    figure = share_figure(np.full(6, 3.0), np.full(6, 4.0), if_empty="")

    assert (figure.low, figure.high) == pytest.approx(wilson(0.75, 24, t.ppf(0.975, 5)), abs=1e-12)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_share_without_an_exception_counts_contexts(share):
    """Ten contexts that are right as a whole tell no more than ten answers do."""
    figure = share_figure(share * np.full(10, 100.0), np.full(10, 100.0), if_empty="")

    expected = np.clip(wilson(share, 10, t.ppf(0.975, 9)), 0, 1)
    assert (figure.low, figure.high) == pytest.approx(tuple(expected), abs=1e-12)


def test_contexts_that_count_nothing_are_left_out():
    with_empty = share_figure(np.array([1.0, 0, 2, 0, 1]), np.array([2.0, 0, 2, 0, 3]), if_empty="")

    assert with_empty == share_figure(np.array([1.0, 2, 1]), np.array([2.0, 2, 3]), if_empty="")


def test_shares_are_those_of_each_column():
    above, below = np.stack([RIGHT, ASKED - RIGHT], axis=1), np.stack([ASKED, ASKED], axis=1)

    one, other = share_figures(above, below, if_empty="")

    assert one == share_figure(RIGHT, ASKED, if_empty="")
    assert (other.value, other.low, other.high) == pytest.approx((1 - one.value, 1 - one.high, 1 - one.low))


def test_pooled_share_sums_the_answers_of_each_context():
    contexts, values = np.array([0, 2, 2, 3, 3]), np.array([1.0, 0.5, 0, 1, 1])

    figure = pooled_share(contexts, values, 4, if_empty="")

    assert figure == share_figure(np.array([1.0, 0.5, 2]), np.array([1.0, 2, 2]), if_empty="")


@pytest.mark.parametrize(
    ("right", "asked", "why"),
    [
        ([3.0], [4.0], TOO_FEW_CONTEXTS),
        ([3.0, 1.0], [4.0, 4.0], TOO_FEW_CONTEXTS),
        ([30.0, 1.0, 0.0], [100.0, 1.0, 1.0], ONE_OUTWEIGHS),
    ],
)
def test_share_without_enough_contexts_has_no_interval_and_says_why(right, asked, why):
    figure = share_figure(np.array(right), np.array(asked), if_empty="")

    assert figure == Figure(sum(right) / sum(asked), n=sum(asked), undefined=why)


def test_figures_of_nothing_say_why():
    nothing = np.zeros(3)

    assert share_figure(nothing, nothing, if_empty="no votes") == Figure.missing("no votes", n=0)
    assert pooled_mean(np.zeros(0, dtype=int), np.zeros(0), 3, if_empty="no answer") == Figure.missing("no answer", n=0)
    assert macro_share(np.zeros((2, 2)), np.zeros((2, 2)), if_empty="none") == Figure.missing("none", n=0)
    assert mean_figures(np.full((3, 1), np.nan)) == [Figure.missing(NO_CONTEXT, n=0)]


def test_mean_over_answers_has_students_interval():
    contexts, values = np.array([0, 0, 1, 2, 2, 2]), np.array([0.1, 0.9, 2.0, 0.4, 0.5, 0.6])

    figure = pooled_mean(contexts, values, 3, if_empty="")

    variance, degrees = variance_and_degrees([1.0, 2.0, 1.5], [2.0, 1.0, 3.0])
    half = t.ppf(0.975, degrees) * np.sqrt(variance)
    assert (figure.value, figure.n) == (pytest.approx(0.75), 6)
    assert (figure.low, figure.high) == pytest.approx((0.75 - half, 0.75 + half))


def test_mean_over_contexts_has_students_interval_within_its_range():
    values = np.array([[0.9, 0.2], [1.0, np.nan], [0.5, 0.3], [0.8, 0.5]])

    one, other = mean_figures(values)

    half = t.ppf(0.975, 2) * np.std([0.2, 0.3, 0.5], ddof=1) / np.sqrt(3)
    assert one.high == 1
    assert (other.low, other.high, other.n) == (pytest.approx(1 / 3 - half), pytest.approx(1 / 3 + half), 3)


def test_guard_stands_for_contradictions_that_were_not_seen():
    agreeing = np.full((8, 1), 0.5)

    [figure] = mean_figures(agreeing, coefficient_guard(5))

    half = t.ppf(0.975, 7) * np.sqrt(8 / 7 * (2 / 4**2) / 64)
    assert (figure.low, figure.high) == pytest.approx((0.5 - half, 0.5 + half))
    assert pairs_guard(6) == 1 / (2 * 6**2)


def test_macro_share_adds_the_variances_of_its_subsets():
    rng = np.random.default_rng(2)
    member = np.arange(12)[:, None] % 2 == np.arange(2)
    below = rng.integers(2, 6, (12, 1)) * member.astype(float)
    above = np.floor(below * rng.random((12, 1)))

    figure = macro_share(above, below, if_empty="")

    parts = [variance_and_degrees(above[of, k], below[of, k], 0.5) for k, of in enumerate(member.T)]
    variance = sum(one for one, _ in parts)
    degrees = variance**2 / sum(one**2 / freedom for one, freedom in parts)
    half = t.ppf(0.975, degrees) * np.sqrt(variance) / 2
    value = (above.sum(axis=0) / below.sum(axis=0)).mean()
    assert (figure.value, figure.n) == (pytest.approx(value), below.sum())
    assert (figure.low, figure.high) == pytest.approx((max(value - half, 0), min(value + half, 1)))


def test_macro_share_leaves_out_empty_subsets_and_needs_contexts_in_each():
    one_subset = macro_share(np.array([[1.0, 0]] * 3), np.array([[2.0, 0]] * 3), if_empty="")
    of_two = macro_share(np.array([[1.0, 0], [1, 0], [1, 0], [0, 1]]), np.array([[2.0, 0]] * 3 + [[0, 1]]), if_empty="")

    assert one_subset.value == 0.5
    assert one_subset.low is not None
    assert of_two == Figure(0.75, n=7, undefined=f"in a subset, {TOO_FEW_CONTEXTS}")


def test_other_figures_are_drawn_again_from_ten_contexts_on():
    """Computed here from the contexts that were drawn, without counts and without a product of matrices."""
    parts = np.random.default_rng(4).random((12, 2))

    figure, few = (
        statistic_of_sums(lambda total: total[:, 0] / total[:, 1], chosen, n=5, if_undefined="")
        for chosen in (parts, parts[:9])
    )

    drawn = np.concatenate(list(resamples(12)))
    expected = np.quantile(parts[drawn, 0].sum(axis=1) / parts[drawn, 1].sum(axis=1), [0.025, 0.975])
    assert (figure.low, figure.high) == pytest.approx(tuple(expected))
    assert (few.low, few.high, few.undefined) == (None, None, TOO_FEW_TO_DRAW)


@given(arrays(float, 6, elements=st.integers(0, 4)), st.integers(1, 3))
def test_an_interval_of_a_share_contains_it_and_stays_a_share(right, contexts_twice):
    asked = np.full(6, 4.0)
    asked[:contexts_twice] = 8

    figure = share_figure(right, asked, if_empty="")

    assert 0 <= figure.low <= figure.value <= figure.high <= 1


def test_no_rounding_leaves_a_share_of_nothing_or_all_out_of_its_interval():
    for contexts in range(3, 200):
        asked = np.full(contexts, 3.0)

        none, every = (share_figure(right * asked, asked, if_empty="") for right in (0.0, 1.0))

        assert (none.low, every.high) == (0, 1)


@pytest.mark.parametrize("contexts", [3, 5, 10, 40])
@pytest.mark.parametrize(("share", "size"), [(0.5, 1), (0.5, 6), (0.9, 6), (0.9, 30)])
def test_intervals_of_shares_cover_the_truth_however_few_contexts_there_are(contexts, share, size):
    """Contexts differ: their chances follow a beta distribution. The bootstrap over three contexts covered 76 %."""
    rng = np.random.default_rng([contexts, size])
    chances = rng.beta(6 * share, 6 * (1 - share), (contexts, 2_000))
    right = rng.binomial(size, chances).astype(float)

    figures = share_figures(right, np.full(right.shape, float(size)), if_empty="")

    assert np.mean([figure.low <= share <= figure.high for figure in figures]) > 0.925
