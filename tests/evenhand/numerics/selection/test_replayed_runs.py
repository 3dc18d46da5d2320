"""Replays of `until-sure` over the contexts of a run."""

import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.rankings.registry import score
from evenhand.numerics.selection.replayed_runs import expected_shares, reordered_shares, replay_run
from tests.evenhand.numerics.simulation import simulated_run


def test_replays_of_contexts_are_independent_of_each_other():
    comparisons, _ = simulated_run(np.random.default_rng(0), n_candidates=8, n_contexts=3)
    only_last = comparisons.select(comparisons.contexts == 2)

    whole, alone = (replay_run(each, bounds=[0.1])[0.1] for each in (comparisons, only_last))

    assert whole.numbers[2] == alone.numbers[2] > 8
    assert whole.numbers.sum() == len(whole.asked)
    assert np.isnan(alone.expected[:2]).all()
    assert (whole.expected <= 0.1).all()


def test_expected_shares_of_what_was_asked_are_those_at_which_the_replay_ended():
    comparisons, _ = simulated_run(np.random.default_rng(1), n_candidates=8, n_contexts=4)
    replayed = replay_run(comparisons, bounds=[0.1])[0.1]

    assert expected_shares(replayed.asked) == pytest.approx(replayed.expected)
    assert (expected_shares(comparisons) == 0).all()


def test_reordered_share_counts_pairs_and_half_for_a_tie_in_one_ranking():
    one = np.array([3.0, 2.0, 1.0, 1.0, 2.0, np.nan])
    other = np.array([3.0, 1.0, 2.0, 1.0, 1.0, 5.0])

    assert reordered_shares(one, other, np.array([0, 3])) == pytest.approx([1 / 3, 1 / 2])


def test_a_replay_is_the_same_without_the_candidates_and_contexts_that_nobody_compared():
    comparisons, _ = simulated_run(np.random.default_rng(2), n_candidates=8, n_contexts=2)
    ninth = comparisons.first + comparisons.contexts, comparisons.second + comparisons.contexts
    more = Comparisons(20, *ninth, comparisons.p_first, np.array([0, 9, 18]))

    replayed, as_before = (replay_run(each, bounds=[0.1])[0.1] for each in (more, comparisons))

    assert replayed.numbers.tolist() == [*as_before.numbers, 0]
    assert replayed.expected[:2].tolist() == as_before.expected.tolist()
    scores = [score("poe-gaussian", each.asked).values for each in (replayed, as_before)]
    assert scores[0][np.isfinite(scores[0])].tolist() == scores[1].tolist()
