import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.numerics.exceptions import InvalidComparisons, Undefined
from evenhand.numerics.resampling import RESAMPLING_SEED
from evenhand.numerics.significance.dependent_correlations import steiger, williams
from evenhand.numerics.significance.families import holm_adjusted
from evenhand.numerics.significance.paired_tests import (
    JudgeDifference,
    coefficient_gaps,
    mcnemar_p_value,
    paired_differences,
    random_signs,
    ratio_gaps,
    sign_flip_p_values,
    wilcoxon_p_value,
)

# Fisher, The Design of Experiments, 1935, chapter III: Darwin's 15 pairs of maize plants, differences in eighths of an
# inch. Of all 2^15 ways to sign them, 863 have a sum at least as large; the two-sided p-value is 2 x 863 / 32768.
DARWIN = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48], dtype=float)


def difference_of_ratios(one, other, sizes):
    return paired_differences([ratio_gaps(one, other, sizes)])[0]


def difference_of_means(one, other):
    return paired_differences([coefficients(one, other)])[0]


def coefficients(one, other, candidates=5):
    return coefficient_gaps(one, other, np.full(len(one), float(candidates)))


def p_value(gaps, **options):
    [found] = sign_flip_p_values(gaps[None], **options)
    return found


def test_sign_flip_matches_fisher_s_analysis_of_darwin_s_plants():
    assert p_value(DARWIN, permutations=100_000) == pytest.approx(2 * 863 / 32768, abs=0.003)


def test_sign_flip_of_few_differences_tries_all_signs():
    assert p_value(np.array([1.0, 2.0, 3.0])) == 2 / 8
    assert p_value(np.zeros(3)) == 1


def test_random_signs_are_the_coins_of_the_seed_after_a_row_of_ones():
    coins = np.random.default_rng(RESAMPLING_SEED).integers(0, 2, (50, 15))

    found = np.concatenate(list(random_signs(15, permutations=50)))

    assert (found == np.vstack([np.ones(15), 1 - 2 * coins])).all()


@given(arrays(float, 10, elements=st.integers(-5, 5)))
def test_sign_flip_does_not_depend_on_which_judge_comes_first(gaps):
    assert p_value(gaps) == p_value(-gaps)


@pytest.mark.parametrize("n", [5, 20])
def test_sign_flips_of_many_are_those_of_each_alone(n):
    gaps = np.random.default_rng(3).normal(0.2, 1, (4, n))

    assert sign_flip_p_values(gaps).tolist() == [p_value(row) for row in gaps]


@pytest.mark.parametrize("sizes", [[0, 1], [0, 0.5, 1], [0] * 11 + [2 / 45], [0.1, 0.7, 1.3, 2.9], np.arange(150) / 7])
@pytest.mark.parametrize("lean", [0.5, 0.53, 0.55])
def test_sign_flip_of_more_than_a_thousand_differences_is_that_of_coins_for_each(sizes, lean):
    rng = np.random.default_rng(11)
    gaps = rng.choice(sizes, 1_400) * np.where(rng.random(1_400) < lean, 1, -1)
    of_coins = np.abs(np.where(rng.random((20_000, 1_400)) < 0.5, 1, -1) @ gaps)

    assert p_value(gaps) == pytest.approx((of_coins >= abs(gaps.sum()) - 1e-9).mean(), abs=0.015)


def test_sign_flip_of_many_differences_of_zero_finds_none():
    assert p_value(np.zeros(1_001)) == 1


def test_sign_flip_counts_a_sum_that_differs_by_rounding_as_equal():
    """Seven tenths added up in another order are not the same number."""
    assert p_value(np.array([0.1, 0.2, 0.3, 0.1])) == p_value(np.array([1.0, 2.0, 3.0, 1.0])) == 2 / 16
    assert p_value(np.array([0.1, 0.2, -0.3])) == 1


def test_differences_of_many_judges_are_those_of_each_two_alone():
    rng = np.random.default_rng(4)
    right, of_other, sizes = (
        rng.integers(0, 5, 30).astype(float),
        rng.integers(0, 5, 30).astype(float),
        np.full(30, 4.0),
    )
    skipped = np.where(np.arange(30) < 3, np.nan, right)
    found = [ratio_gaps(right, of_other, sizes), coefficients(skipped, of_other), ratio_gaps(of_other, right, sizes)]

    differences = paired_differences([*found, coefficients(np.full(30, np.nan), right)])

    alone = [difference_of_ratios(right, of_other, sizes), difference_of_means(skipped, of_other)]
    for together, single in zip(differences, alone, strict=False):
        assert (together.value, together.p_value, together.n) == (single.value, single.p_value, single.n)
        assert (together.low, together.high) == pytest.approx((single.low, single.high))
    assert differences[2].value == -differences[0].value
    assert differences[3] == JudgeDifference.missing("the two have no context in common")


def test_smallest_p_value_of_many_pairs_survives_holm_s_adjustment():
    rng = np.random.default_rng(0)
    clear = ratio_gaps(np.ones(60), np.zeros(60), np.ones(60))
    noise = [ratio_gaps(*rng.integers(0, 2, (2, 60)).astype(float), np.ones(60)) for _ in range(1_000)]

    assert holm_adjusted(np.array([one.p_value for one in paired_differences([clear, *noise])]))[0] < 0.05


def test_ratio_difference_is_that_of_the_sums():
    difference = difference_of_ratios(np.array([3.0, 1, 9]), np.array([1.0, 1, 9]), np.array([4.0, 4, 0]))

    assert (difference.value, difference.n) == (0.25, 2)


def test_ratio_difference_of_clearly_different_judges_is_significant():
    rng = np.random.default_rng(0)
    one, other = rng.binomial(20, 0.8, 200), rng.binomial(20, 0.7, 200)

    difference = difference_of_ratios(one.astype(float), other.astype(float), np.full(200, 20.0))

    assert difference.low < 0.1 < difference.high
    assert difference.p_value < 0.001


def test_mean_difference_leaves_out_contexts_that_either_skips():
    difference = difference_of_means(np.array([0.5, np.nan, 0.7, 0.2]), np.array([0.4, 0.1, np.nan, 0.1]))

    assert (difference.value, difference.n) == (pytest.approx(0.1), 2)


def test_differences_of_nothing_say_why():
    assert difference_of_means(np.array([np.nan]), np.array([1.0])) == JudgeDifference.missing(
        "the two have no context in common"
    )


def test_differences_of_one_or_two_contexts_have_no_interval():
    one, two = (difference_of_means(np.full(n, 0.5), np.full(n, 0.25)) for n in (1, 2))

    assert one == JudgeDifference(0.25, None, None, None, 1, "an interval needs at least three contexts", 1)
    assert two == JudgeDifference(0.25, None, None, 0.5, 2, "an interval needs at least three contexts", 2)


def test_differences_have_students_interval_with_a_guard():
    sizes = np.array([4.0, 2, 4, 6])
    shares = difference_of_ratios(np.array([3.0, 1, 4, 5]), np.array([2.0, 1, 4, 3]), sizes)
    agreeing = difference_of_means(np.full(5, 0.9), np.full(5, 0.4))

    effective = 16**2 / (sizes**2).sum()
    squares = ((np.array([1.0, 0, 0, 2]) - 3 / 16 * sizes) ** 2).sum() + 0.5
    half = scipy.stats.t.ppf(0.975, effective - 1) * np.sqrt(effective / (effective - 1) * squares) / 16
    assert (shares.low, shares.high) == pytest.approx((3 / 16 - half, 3 / 16 + half))
    half = scipy.stats.t.ppf(0.975, 4) * np.sqrt(5 / 4 * (2 / 4**2) / 25)
    assert (agreeing.low, agreeing.high) == pytest.approx((0.5 - half, 0.5 + half))


def test_differences_reject_no_difference_as_often_as_they_say():
    rng = np.random.default_rng(1)
    covered = rejected = 0
    for _ in range(500):
        one, other = rng.normal(size=(2, 60))
        difference = difference_of_means(one, other)
        covered += difference.low <= 0 <= difference.high
        rejected += difference.p_value < 0.05

    assert 463 <= covered <= 485
    assert 15 <= rejected <= 35


@given(arrays(bool, (2, 25)))
def test_mcnemar_is_that_of_statsmodels(right):
    from statsmodels.stats.contingency_tables import mcnemar

    table = [[sum(right[0] & right[1]), sum(right[0] & ~right[1])], [sum(~right[0] & right[1]), 0]]
    assert mcnemar_p_value(*right) == pytest.approx(mcnemar(table, exact=True).pvalue)


@given(arrays(float, st.integers(1, 29), elements=st.sampled_from([-1.2, -0.2, 0.0, 0.8])))
def test_wilcoxon_is_that_of_scipy(gaps):
    assume(gaps.any())

    expected = scipy.stats.wilcoxon(gaps, alternative="less", method="approx").pvalue

    assert wilcoxon_p_value(gaps) == pytest.approx(expected)


def test_wilcoxon_has_nothing_against_gaps_that_are_all_zero():
    assert wilcoxon_p_value(np.zeros(7)) == 1


def test_mcnemar_matches_a_binomial_worked_by_hand():
    one = np.array([True] * 9 + [False])

    assert mcnemar_p_value(one, ~one) == pytest.approx(2 * (1 + 10) / 2**10)


def test_mcnemar_needs_the_same_questions():
    with pytest.raises(InvalidComparisons, match="3 and 2 answers"):
        mcnemar_p_value(np.ones(3, bool), np.ones(2, bool))


def test_williams_and_steiger_match_the_published_program():
    """Silver, Hittner and May, A FORTRAN 77 Program for Comparing Dependent Correlations, 2006."""
    williams_test, steiger_test = williams(0.3, 0.4, 0.5, 100), steiger(0.3, 0.4, 0.5, 100)

    assert (williams_test.statistic, williams_test.p_value) == pytest.approx((-1.0767, 0.2843), abs=5e-5)
    assert (steiger_test.statistic, steiger_test.p_value) == pytest.approx((-1.0718, 0.2838), abs=5e-5)


@pytest.mark.parametrize("test", [williams, steiger])
@given(st.floats(-0.6, 0.6), st.floats(-0.6, 0.6), st.floats(-0.2, 0.6))
def test_tests_of_correlations_do_not_depend_on_which_judge_comes_first(test, one, other, both):
    assume(np.linalg.det([[1, one, other], [one, 1, both], [other, both, 1]]) > 1e-6)

    there, back = test(one, other, both, 50), test(other, one, both, 50)

    assert there.statistic == pytest.approx(-back.statistic)
    assert there.p_value == pytest.approx(back.p_value)


def test_williams_refuses_correlations_that_no_observations_have():
    with pytest.raises(Undefined, match="no observations have these three correlations"):
        williams(0.6, -0.6, 0.6, 50)


def test_williams_is_undefined_where_two_correlations_leave_no_doubt_about_the_third():
    with pytest.raises(Undefined, match="leave no doubt about each other"):
        williams(0.6, -0.6, 0.28, 50)


@pytest.mark.parametrize("test", [williams, steiger])
def test_tests_of_correlations_reject_no_difference_as_often_as_they_say(test):
    rng = np.random.default_rng(3)
    rejected = 0
    for _ in range(1000):
        people = rng.normal(size=80)
        judges = people + rng.normal(size=(2, 80))
        matrix = np.corrcoef([people, *judges])
        rejected += test(matrix[0, 1], matrix[0, 2], matrix[1, 2], 80).p_value < 0.05

    assert 30 <= rejected <= 70


def test_tests_of_correlations_refuse_what_they_cannot_tell():
    with pytest.raises(Undefined, match="at least four observations, not 3"):
        williams(0.3, 0.4, 0.5, 3)
    with pytest.raises(Undefined, match="perfectly correlated"):
        williams(0.3, 0.3, 1.0, 30)
    with pytest.raises(Undefined, match="Fisher's scale does not reach"):
        steiger(1.0, 0.3, 0.3, 30)
