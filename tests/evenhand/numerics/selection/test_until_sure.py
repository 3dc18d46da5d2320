"""The selection that stops once asking the rest would hardly change the ranking."""

import numpy as np
import pytest

from evenhand.numerics.selection.until_sure import (
    ContextState,
    answered,
    expected_reordered_share,
    next_pairs_until_sure,
    replay_until_sure,
)


def judge_of(rng, *, n=16, scale=1.5, bias=0.5, noise=1.0):
    """p_first of every ordered pair by a judge with position bias; NaN on the diagonal."""
    quality = rng.normal(size=n)
    logits = scale * (quality[:, None] - quality) + bias + noise * rng.normal(size=(n, n))
    answers = 1 / (1 + np.exp(-logits))
    np.fill_diagonal(answers, np.nan)
    return answers


def unasked(n):
    return ContextState(np.full((n, n), np.nan), ~np.eye(n, dtype=bool))


def test_first_round_is_a_ring_with_every_candidate_once_on_each_side():
    pairs = next_pairs_until_sure(unasked(7), bound=0.05, seed=(3, 0))

    assert sorted(pairs.first) == sorted(pairs.second) == list(range(7))


def test_no_pair_is_asked_twice_and_each_candidate_is_first_about_as_often_as_second():
    replayed = replay_until_sure(judge_of(np.random.default_rng(0)), bounds=[0.02], seed=(1, 0))

    pairs = list(zip(replayed.first, replayed.second, strict=True))
    balance = np.bincount(replayed.first, minlength=16) - np.bincount(replayed.second, minlength=16)
    assert len(set(pairs)) == len(pairs) == replayed.stops[0.02]
    assert np.abs(balance).max() <= 3


def test_lower_bounds_ask_more_and_leave_less_to_change():
    replayed = replay_until_sure(judge_of(np.random.default_rng(1)), bounds=[0.1, 0.05, 0.02], seed=(1, 0))

    assert 16 < replayed.stops[0.1] < replayed.stops[0.05] < replayed.stops[0.02] < 240
    assert all(replayed.shares[bound] <= bound for bound in (0.1, 0.05, 0.02))


def test_a_context_is_not_asked_further_once_it_is_sure():
    answers = judge_of(np.random.default_rng(2))
    replayed = replay_until_sure(answers, bounds=[0.05], seed=(1, 0))
    state = ContextState(np.full(answers.shape, np.nan), ~np.eye(16, dtype=bool))
    for first, second in zip(replayed.first, replayed.second, strict=True):
        state.answers[first, second], state.open[first, second] = answers[first, second], False

    assert expected_reordered_share(state) == replayed.shares[0.05] <= 0.05
    assert len(next_pairs_until_sure(state, bound=0.05, seed=(1, 0))) == 0
    assert len(next_pairs_until_sure(state, bound=0.03, seed=(1, 0))) == 8


def test_a_limit_ends_the_asking():
    assert len(next_pairs_until_sure(unasked(16), bound=0.05, seed=(0, 0), most=5)) == 5
    assert len(next_pairs_until_sure(unasked(16), bound=0.05, seed=(0, 0), most=0)) == 0


def test_candidates_whose_answers_failed_are_connected_again():
    state = unasked(6)
    pairs = next_pairs_until_sure(state, bound=0.05, seed=(0, 0))
    state = answered(state, pairs, np.full(6, np.nan))

    more = next_pairs_until_sure(state, bound=0.05, seed=(0, 0))

    assert expected_reordered_share(state) == 1.0
    assert len(more) == 3
    assert len({*more.first.tolist(), *more.second.tolist()}) >= 4


def test_without_any_answer_every_pair_is_asked_once_and_then_none():
    state, asked = unasked(4), []
    while len(pairs := next_pairs_until_sure(state, bound=0.05, seed=(0, 0))):
        asked += zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
        state = answered(state, pairs, np.full(len(pairs), np.nan))

    assert len(set(asked)) == len(asked) == 12


def test_pairs_without_a_recorded_answer_are_not_asked_again():
    answers = judge_of(np.random.default_rng(3), n=6)
    answers[0, 1:4] = np.nan

    replayed = replay_until_sure(answers, bounds=[0.0], seed=(1, 0))

    assert not np.isnan(answers[replayed.first, replayed.second]).any()
    assert replayed.stops[0.0] == 27


@pytest.mark.parametrize("seed", range(5))
def test_rounding_which_differs_between_processors_does_not_change_what_is_asked(seed):
    rng = np.random.default_rng(seed)
    answers = judge_of(rng)
    rounded = answers + rng.uniform(-1e-14, 1e-14, size=answers.shape)

    one, other = (replay_until_sure(each, bounds=[0.02], seed=(1, 0)) for each in (answers, rounded))

    assert list(zip(one.first, one.second, strict=True)) == list(zip(other.first, other.second, strict=True))


def test_two_candidates_are_asked_in_both_orders():
    replayed = replay_until_sure(judge_of(np.random.default_rng(4), n=2), bounds=[0.05], seed=(1, 0))

    assert replayed.stops[0.05] == 2


def test_on_shapes_of_summeval_less_than_half_of_the_pairs_give_nearly_the_same_order():
    rng, changed, asked = np.random.default_rng(2), [], []
    upper = np.triu_indices(16, 1)
    for context in range(60):
        answers = judge_of(rng)
        replayed = replay_until_sure(answers, bounds=[0.05], seed=(0, context))
        part = np.full(answers.shape, np.nan)
        part[replayed.first, replayed.second] = answers[replayed.first, replayed.second]
        now, final = (fitted_gaps(each)[upper] for each in (part, answers))
        changed.append((now * final < 0).mean())
        asked.append(replayed.stops[0.05] / 240)

    assert np.mean(asked) < 0.5
    assert np.mean(changed) < 0.055


@pytest.mark.parametrize(
    ("n", "contexts", "scale", "bias"),
    [(4, 100, 1.0, 0.0), (8, 100, 1.0, 0.0), (8, 100, 0.4, 0.0), (8, 100, 1.0, 1.5), (16, 30, 0.4, 0.0)],
)
def test_bound_is_kept_for_judges_that_choose(n, contexts, scale, bias):
    rng, changed = np.random.default_rng(n), []
    upper = np.triu_indices(n, 1)
    for context in range(contexts):
        chances = judge_of(rng, n=n, scale=scale, bias=bias, noise=0.5)
        chosen = np.where(np.isnan(chances), np.nan, rng.random((n, n)) < chances)
        replayed = replay_until_sure(chosen, bounds=[0.1], seed=(0, context))
        part = np.full(chosen.shape, np.nan)
        part[replayed.first, replayed.second] = chosen[replayed.first, replayed.second]
        now, final = (np.sign(fitted_gaps(each)[upper].round(9)) for each in (part, chosen))
        changed.append(np.abs(now - final).mean() / 2)

    assert np.mean(changed) <= 0.1


def fitted_gaps(answers):
    """Difference of the mean answers of each two candidates, by least squares without weights."""
    known = ~np.isnan(answers)
    played = known.astype(float) + known.T
    mean = answers[known].mean()
    won = np.where(known, answers - mean, 0.0)
    laplacian = np.diag(played.sum(axis=1)) - played
    scores = np.linalg.pinv(laplacian) @ (won.sum(axis=1) - won.sum(axis=0))
    return scores[:, None] - scores
