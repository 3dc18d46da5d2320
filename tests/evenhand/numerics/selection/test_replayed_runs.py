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


def test_candidates_without_answers_in_a_context_are_no_error():
    comparisons = Comparisons(5, np.array([0, 1]), np.array([1, 0]), np.array([0.9, 0.2]), np.array([0, 2]))

    replayed = replay_run(comparisons, bounds=[0.05])[0.05]

    assert replayed.numbers.tolist() == [2, 0]
    assert np.isfinite(score("poe-gaussian", replayed.asked).values[:2]).all()
