"""The family of tests of a figure: which tests belong to it, what they find, and how often they err."""

import numpy as np
import pytest

from evenhand.numerics.significance.families import (
    EQUAL_EVERYWHERE,
    NOT_VARIED,
    TOO_FEW_TO_TEST,
    adjusted_in_family,
    benjamini_hochberg_adjusted,
    holm_adjusted,
    is_not_worse,
    is_untested,
)
from evenhand.numerics.significance.paired_tests import JudgeDifference, paired_differences, ratio_gaps

# Benjamini and Hochberg, 1995, section 4.1: fifteen p-values; at 0.05 their procedure rejects the first four, and
# Bonferroni's and Holm's the first three.
MYOCARDIAL = np.array(
    [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1]
)


def differences(*rows):
    """Differences of accuracies of one comparison a context, from rows of gaps."""
    return paired_differences([ratio_gaps(np.array(row, float), np.zeros(len(row)), np.ones(len(row))) for row in rows])


def holm_of(*rows, left_out=()):
    return [one.p_value_holm for one in adjusted_in_family(differences(*rows), left_out)]


@pytest.mark.parametrize(("n_tests", "least"), [(1, 6), (4, 8), (57, 12)])
def test_family_of_equal_tests_needs_as_many_contexts_as_its_size_asks(n_tests, least):
    assert holm_of(*[[1] * least] * n_tests) == [n_tests * 2 / 2**least] * n_tests
    assert None in holm_of(*[[1] * (least - 1)] * n_tests)


def test_tests_with_fewer_differing_contexts_leave_the_family_first():
    pilot, long, equal_in_most = [1] * 6, [1] * 9, [1] * 6 + [0] * 20

    assert holm_of(pilot, long, equal_in_most) == [None, 2 / 2**9, None]
    assert holm_of(pilot) == [2 / 2**6]


def test_family_does_not_depend_on_the_signs():
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 14, 20)
    rows = [rng.uniform(0.1, 1, n) for n in sizes]

    plain, flipped = (
        [one is None for one in holm_of(*some)]
        for some in (rows, [row * rng.choice([-1, 1], len(row)) for row in rows])
    )

    assert plain == flipped
    assert 0 < sum(plain) < 20


def test_differences_outside_the_family_say_why():
    few, same, two_same, none, constant, tested = adjusted_in_family(
        [*differences([1] * 5, [0, 0, 0], [0, 0]), JudgeDifference.missing("no truth"), *differences([1] * 9, [1] * 9)],
        left_out={4},
    )

    assert [one.undefined for one in (few, same, two_same, none, constant, tested)] == [
        TOO_FEW_TO_TEST,
        EQUAL_EVERYWHERE,
        TOO_FEW_TO_TEST,
        "no truth",
        NOT_VARIED,
        None,
    ]
    assert [is_not_worse(one) for one in (few, same, two_same, none, constant)] == [False, True, False, False, False]
    assert [is_untested(one) for one in (few, same, two_same, none, constant)] == [True, False, True, True, True]
    assert (tested.p_value_holm, tested.p_value_benjamini_hochberg) == (2 / 2**9, 2 / 2**9)


def test_run_that_is_better_on_the_common_contexts_is_not_worse():
    [one] = adjusted_in_family(differences([-1] * 9))

    assert one.p_value_holm < 0.05
    assert is_not_worse(one)


def losses(rng, *, runs, contexts, comparisons):
    """Runs of one quality: for each but the best of a table, whether it is found worse than the best."""
    right = rng.binomial(comparisons, 0.75, (runs, contexts)).astype(float)
    best, *others = right[np.argsort(-right.sum(axis=1), kind="stable")]
    sizes = np.full(contexts, float(comparisons))
    found = adjusted_in_family(paired_differences([ratio_gaps(best, other, sizes) for other in others]))
    return [not is_untested(one) and not is_not_worse(one) for one in found]


@pytest.mark.parametrize("contexts", [6, 12, 40])
@pytest.mark.parametrize("runs", [2, 8])
def test_equal_runs_are_seldom_found_worse_than_the_best(runs, contexts):
    rng = np.random.default_rng(runs + contexts)

    lost = [loss for _ in range(300) for loss in losses(rng, runs=runs, contexts=contexts, comparisons=4)]

    assert np.mean(lost) <= 0.05


def test_adjusted_p_values_match_the_published_example():
    assert (benjamini_hochberg_adjusted(MYOCARDIAL) <= 0.05).sum() == 4
    assert (holm_adjusted(MYOCARDIAL) <= 0.05).sum() == 3


@pytest.mark.parametrize(("adjust", "name"), [(holm_adjusted, "holm"), (benjamini_hochberg_adjusted, "fdr_bh")])
@pytest.mark.parametrize("seed", range(5))
def test_adjusted_p_values_are_those_of_statsmodels(adjust, name, seed):
    from statsmodels.stats.multitest import multipletests

    p_values = np.random.default_rng(seed).random(6) ** 3

    assert adjust(p_values) == pytest.approx(multipletests(p_values, method=name)[1])
