"""Scores of systems with the style of their texts held fixed."""

import numpy as np
import pytest

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.fitting.style_control import fit_style, style_gaps
from evenhand.numerics.rankings.registry import score


def judged(rng, *, scores, coefficient, bias=0.3, contexts=200):
    """Decisions of a judge on random pairs of systems, 5 of each context, with one feature."""
    n = contexts * 5
    first = rng.integers(0, len(scores), n)
    second = (first + rng.integers(1, len(scores), n)) % len(scores)
    gaps = rng.uniform(-1, 1, (n, 1)) + 0.3 * (first[:, None] - second[:, None])
    logits = scores[first] - scores[second] + bias + coefficient * gaps[:, 0]
    return (
        first,
        second,
        (rng.random(n) < 1 / (1 + np.exp(-logits))).astype(float),
        gaps,
        np.repeat(np.arange(contexts), 5),
    )


def test_gap_is_the_difference_of_counts_over_their_sum():
    assert style_gaps(np.array([3.0, 0.0, 0.0, 2.0]), np.array([1.0, 4.0, 0.0, 2.0])).tolist() == [0.5, -1.0, 0.0, 0.0]


def test_scores_coefficient_and_bias_of_a_simulated_judge_are_found():
    scores = np.array([1.0, 0.2, -0.4, -0.8])

    fit = fit_style(*judged(np.random.default_rng(0), scores=scores, coefficient=1.5, contexts=2_000))

    assert fit.scores.values == pytest.approx(scores, abs=0.1)
    assert fit.coefficients.values == pytest.approx([1.5], abs=0.1)
    assert fit.bias.values == pytest.approx([0.3], abs=0.06)


def test_intervals_hold_the_truth_in_95_of_100_draws():
    scores, rng = np.array([0.5, 0.0, -0.5]), np.random.default_rng(1)

    fits = [fit_style(*judged(rng, scores=scores, coefficient=0.8)) for _ in range(300)]

    inside = [(fit.coefficients.low[0] < 0.8) & (fit.coefficients.high[0] > 0.8) for fit in fits]
    assert 0.92 < np.mean(inside) < 0.98
    assert 0.92 < np.mean([(fit.scores.low < scores) & (scores < fit.scores.high) for fit in fits]) < 0.98


def test_without_features_and_bias_the_scores_are_those_of_bradley_terry():
    rng = np.random.default_rng(2)
    first, second, p_first, _, contexts = judged(rng, scores=np.array([1.0, 0.0, -1.0]), coefficient=0.0)
    both = np.concatenate([p_first, 1 - p_first])  # each pair in both orders, so the bias is 0

    fit = fit_style(
        np.append(first, second), np.append(second, first), both, np.zeros((2 * len(first), 0)), np.tile(contexts, 2)
    )

    wanted = score("poe-bt", Comparisons(3, first, second, p_first)).values
    assert fit.bias.values == pytest.approx([0.0], abs=1e-9)
    assert fit.scores.values == pytest.approx(wanted, abs=2e-3)  # the prior is weak


def test_showing_every_pair_the_other_way_round_turns_only_the_bias():
    first, second, p_first, gaps, contexts = judged(
        np.random.default_rng(3), scores=np.array([1.0, 0.0]), coefficient=1.0
    )

    one = fit_style(first, second, p_first, gaps, contexts)
    other = fit_style(second, first, 1 - p_first, -gaps, contexts)

    assert other.scores.values == pytest.approx(one.scores.values)
    assert other.coefficients.values == pytest.approx(one.coefficients.values)
    assert other.bias.values == pytest.approx(-one.bias.values)
    unseen = fit_style(first, second, p_first, gaps, contexts, has_positions=False)
    assert unseen.bias.values.tolist() == [0]
    assert unseen.scores.values != pytest.approx(one.scores.values, abs=1e-3)


def test_a_system_that_always_wins_has_a_finite_score():
    fit = fit_style(np.array([0, 1]), np.array([1, 0]), np.array([1.0, 0.0]), np.zeros((2, 0)), np.array([0, 1]))

    assert 2 < fit.scores.values[0] < 10
    assert fit.scores.values.sum() == pytest.approx(0.0, abs=1e-9)


def test_one_context_gives_no_interval_and_one_system_no_scores():
    fit = fit_style(np.array([0, 1]), np.array([1, 0]), np.array([0.9, 0.2]), np.zeros((2, 0)), np.array([4, 4]))

    assert np.isnan(fit.scores.low).all()
    with pytest.raises(Undefined):
        fit_style(np.array([0]), np.array([0]), np.array([0.9]), np.zeros((1, 0)), np.array([0]))
