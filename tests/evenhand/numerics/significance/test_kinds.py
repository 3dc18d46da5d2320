"""Accuracies on kinds of contexts, each against all others."""

import numpy as np
import pytest
from scipy.stats import permutation_test, t, ttest_ind_from_stats

from evenhand.numerics.significance.kinds import kind_accuracies


def judged(seed, *, contexts=(30, 20, 25), rates=(0.8, 0.5, 0.75), size=1):
    """Correct and counted comparisons of each context, and its kind."""
    rng, kinds = np.random.default_rng(seed), np.repeat(np.arange(len(contexts)), contexts)
    return rng.binomial(size, np.array(rates)[kinds]).astype(float), np.full(len(kinds), float(size)), kinds


def accuracies_of(correct, counted, kinds):
    return kind_accuracies(correct, counted, kinds, int(kinds.max()) + 1, if_empty="nothing counts")


def welch(one, rest):
    """|t|, p and half the interval; half a squared contradiction guards the variance of each side."""
    sizes = [len(one), len(rest)]
    deviations = [((len(side) * side.var() + 0.5) / (len(side) - 1)) ** 0.5 for side in (one, rest)]
    tested = ttest_ind_from_stats(
        *(one.mean(), deviations[0], sizes[0], rest.mean(), deviations[1], sizes[1]), equal_var=False
    )
    parts = np.square(deviations) / sizes
    degrees = parts.sum() ** 2 / (parts**2 / (np.array(sizes) - 1)).sum()
    return abs(tested.statistic), tested.pvalue, t.ppf(0.975, degrees) * parts.sum() ** 0.5


@pytest.mark.parametrize("seed", range(3))
def test_intervals_are_welchs_and_so_are_p_values_of_many_contexts(seed):
    correct, counted, kinds = judged(seed, contexts=(500, 300, 400), rates=(0.72, 0.7, 0.75))

    for kind, found in enumerate(accuracies_of(correct, counted, kinds)):
        one, rest = correct[kinds == kind], correct[kinds != kind]
        _, p_value, half = welch(one, rest)
        gap = one.mean() - rest.mean()
        assert found.p_value == pytest.approx(p_value)
        assert (found.difference.low, found.difference.high) == pytest.approx((gap - half, gap + half))
        assert (found.contexts, found.accuracy.value) == (len(one), pytest.approx(one.mean()))


def test_p_values_of_few_contexts_are_those_of_scipys_permutations():
    correct, counted, kinds = judged(7, contexts=(9, 8, 7))

    for kind, found in enumerate(accuracies_of(correct, counted, kinds)):
        sides = [correct[kinds == kind], correct[kinds != kind]]
        expected = permutation_test(
            sides, lambda one, rest: welch(one, rest)[0], n_resamples=3000, alternative="greater", rng=1
        )
        assert found.p_value == pytest.approx(expected.pvalue, abs=0.03)


def test_holms_correction_is_that_of_statsmodels_and_two_kinds_are_one_test():
    from statsmodels.stats.multitest import multipletests

    three, two = accuracies_of(*judged(1)), accuracies_of(*judged(1, contexts=(20, 20), rates=(0.9, 0.6)))

    expected = multipletests([one.p_value for one in three], method="holm")[1]
    assert [one.p_value_holm for one in three] == pytest.approx(expected)
    assert [one.p_value_holm for one in two] == [one.p_value for one in two]
    assert two[0].p_value == pytest.approx(two[1].p_value)
    unjudged = judged(1, contexts=(20, 20, 5), rates=(0.9, 0.6, 0.5))
    unjudged[1][40:] = 0
    assert [one.p_value_holm for one in accuracies_of(*unjudged)] == [*(one.p_value for one in two), None]


def test_contexts_that_are_needed_are_the_least_whose_interval_would_leave_out_0():
    correct, counted, kinds = judged(5, rates=(0.7, 0.6, 0.65))

    first, *_ = accuracies_of(correct, counted, kinds)

    sides = [correct[kinds == 0], correct[kinds > 0]]
    variance = sum((side.var() + 0.5 / len(side)) / (len(side) - 1) for side in sides)
    gap = abs(sides[0].mean() - sides[1].mean())
    least = next(m for m in range(3, 10**6) if t.ppf(1 - 0.025 / 3, m - 1) * (variance * 75 / m) ** 0.5 < gap)
    assert first.p_value_holm > 0.05
    assert first.needed == least > 75


def test_contexts_weigh_as_many_comparisons_as_they_have_and_those_without_a_kind_do_not_count():
    correct, counted = np.array([4.0, 0, 1, 3, 2, 2, 9]), np.array([4.0, 1, 1, 4, 2, 4, 9])
    kinds = np.array([0, 0, 0, 1, 1, 1, -1])

    one, other = accuracies_of(correct, counted, kinds)

    assert (one.accuracy.value, other.accuracy.value) == pytest.approx((5 / 6, 7 / 10))
    assert one.difference.value == pytest.approx(5 / 6 - 7 / 10) == -other.difference.value


def test_kind_without_three_contexts_is_not_tested_and_leaves_the_others_their_family():
    correct, counted, kinds = judged(2, contexts=(20, 2, 20))
    correct[kinds == 1] = 1

    first, few, last = accuracies_of(correct, counted, kinds)

    assert (few.p_value, few.difference.low, few.difference.undefined) == (
        *(None, None),
        "an interval needs at least three contexts",
    )
    smaller, larger = sorted([first.p_value, last.p_value])
    assert sorted([first.p_value_holm, last.p_value_holm]) == pytest.approx([2 * smaller, max(2 * smaller, larger)])


def test_nothing_to_compare_says_why():
    empty = accuracies_of(np.zeros(6), np.zeros(6), np.repeat([0, 1], 3))
    alone = accuracies_of(np.ones(6), np.ones(6), np.zeros(6, dtype=int))

    assert [one.difference.undefined for one in empty] == ["nothing counts"] * 2
    assert alone[0].difference.undefined == "no other kind counts"
    assert alone[0].accuracy.value == 1
