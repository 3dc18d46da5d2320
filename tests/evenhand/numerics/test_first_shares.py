import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.first_shares import NOT_BETTER, TOO_FEW_OTHERS, FirstShares


def shares_of(comparisons):
    return FirstShares.of_decisions(comparisons, decide(comparisons.p_first))


def test_first_shares_compare_candidates_by_their_other_comparisons():
    """Candidate 0 beats 1 and 2 from both sides; the judge chooses the first of 1 and 2 each time."""
    run = Comparisons(3, [0, 1, 0, 2, 1, 2], [1, 0, 2, 0, 2, 1], [1, 0, 1, 0, 1, 1.0])

    shares = shares_of(run)

    # 1 and 2 differ only by their comparison in the other order: there the winner is the first, so lost here
    assert shares.if_better.value == pytest.approx(1.0)
    assert shares.if_worse.value == pytest.approx(2 / 4)


@pytest.mark.parametrize(("if_better", "if_worse"), [(0.8, 0.2), (0.95, 0.5), (0.6, 0.1)])
def test_first_shares_recover_the_probabilities_that_made_the_decisions(if_better, if_worse):
    """Neighbours in the order are confused, which moves both shares equally far towards each other."""
    rng = np.random.default_rng(0)
    size, n_contexts = 60, 40
    low, high = np.triu_indices(size, 1)
    swap = rng.random((n_contexts, len(low))) < 0.5
    start = size * np.arange(n_contexts)[:, None]
    first, second = (np.where(swap, *ends) + start for ends in ((high, low), (low, high)))
    share = np.where(first < second, if_better, if_worse)  # lower numbers are better
    decisions = (rng.random(first.shape) < share).astype(float)
    run = Comparisons(size * n_contexts, first.ravel(), second.ravel(), decisions.ravel(), start.ravel())

    shares = shares_of(run)

    assert shares.if_better.value + shares.if_worse.value == pytest.approx(if_better + if_worse, abs=0.01)
    assert shares.if_better.value == pytest.approx(if_better, abs=0.07)


def test_first_shares_are_undefined_without_other_comparisons():
    shares = shares_of(Comparisons(4, [0, 2], [1, 3], [1.0, 0.0]))

    assert (shares.if_better.undefined, shares.if_worse.undefined) == (TOO_FEW_OTHERS, TOO_FEW_OTHERS)


def test_first_shares_are_undefined_where_decisions_follow_only_the_position():
    run = Comparisons(3, [0, 1, 2, 0], [1, 2, 0, 2], [1.0, 1.0, 1.0, 0.0])

    assert shares_of(run).if_better.undefined == NOT_BETTER
