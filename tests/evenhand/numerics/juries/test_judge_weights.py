"""Weights of judges learned from people's preferences on other contexts."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit

from evenhand.numerics import Comparisons, Undefined
from evenhand.numerics.accuracy import accuracy
from evenhand.numerics.decisions import decide
from evenhand.numerics.juries.judge_weights import (
    cross_fitted_logits,
    judge_logits,
    learn_judge_weights,
    majority_decisions,
    mean_probabilities,
)
from evenhand.numerics.reliability.calibration import brier_score, calibration_error
from tests.evenhand.numerics.juries.simulated_juries import accuracies, simulated_jury

DRAWS = 50


def weighted_accuracy(pairs, p_first, right):
    fitted = cross_fitted_logits(pairs, judge_logits(p_first), right)
    return accuracy(pairs, right, decide(fitted.logits, 0.0)).value


FIVE_ALIKE = {"skills": (1.0,) * 5}
RULES = {
    "majority": lambda pairs, p_first, right: accuracy(pairs, right, majority_decisions(p_first)).value,
    "mean": lambda pairs, p_first, right: accuracy(pairs.with_p_first(mean_probabilities(p_first)), right).value,
    "weighted": weighted_accuracy,
}


@pytest.mark.parametrize("rule", RULES)
def test_a_jury_beats_its_best_member_if_errors_are_independent(rule):
    rng, better = np.random.default_rng(1), 0

    for _ in range(DRAWS):
        pairs, p_first, right = simulated_jury(rng, **FIVE_ALIKE)
        better += RULES[rule](pairs, p_first, right) > accuracies(pairs, p_first, right).max()

    assert better >= 48


def test_a_learned_weight_keeps_the_jury_as_good_with_one_bad_member():
    rng, not_worse = np.random.default_rng(2), 0

    for _ in range(DRAWS):
        pairs, p_first, right = simulated_jury(rng, skills=(1.0, 1.0, 1.0, 0.0))
        not_worse += weighted_accuracy(pairs, p_first, right) >= accuracies(pairs, p_first, right).max()

    assert not_worse >= 48


def test_the_mean_of_four_good_members_and_a_bad_one_is_not_worse_than_the_best():
    rng, not_worse = np.random.default_rng(2), 0

    for _ in range(DRAWS):
        pairs, p_first, right = simulated_jury(rng, skills=(1.0, 1.0, 1.0, 1.0, 0.0))
        not_worse += RULES["mean"](pairs, p_first, right) >= accuracies(pairs, p_first, right).max()

    assert not_worse >= 48


def test_the_weight_of_a_bad_member_is_the_smallest_and_its_interval_holds_zero():
    rng, smallest, holds_zero = np.random.default_rng(3), 0, 0

    for _ in range(DRAWS):
        pairs, p_first, right = simulated_jury(rng, skills=(1.0, 0.0, 1.0))
        learned = learn_judge_weights(pairs, judge_logits(p_first), right)
        smallest += learned.weights.argmin() == 1
        holds_zero += learned.low[1] <= 0 <= learned.high[1]

    assert smallest == DRAWS
    assert holds_zero >= 44  # 95 % intervals


def test_a_position_bias_is_learned_and_removed():
    rng = np.random.default_rng(4)
    pairs, p_first, right = simulated_jury(rng, biases=(3.0, 0.0, -3.0), n_contexts=400)

    learned = learn_judge_weights(pairs, judge_logits(p_first), right)

    assert learned.biases == pytest.approx([3.0, 0.0, -3.0], abs=0.2)
    assert (learned.bias_low < learned.biases).all()
    assert learned.bias_high - learned.biases == pytest.approx([1.96 / 800**0.5] * 3, abs=0.01)
    assert weighted_accuracy(pairs, p_first, right) > accuracies(pairs, p_first, right).max()


def test_answers_on_a_context_do_not_depend_on_peoples_preferences_there():
    rng = np.random.default_rng(5)
    pairs, p_first, right = simulated_jury(rng, n_contexts=20)
    logits = judge_logits(p_first)
    before = cross_fitted_logits(pairs, logits, right)

    for fold in range(5):
        here = before.folds[pairs.contexts] == fold
        after = cross_fitted_logits(pairs, logits, np.where(here, 1 - right, right))
        assert after.logits[here] == pytest.approx(before.logits[here], abs=1e-12)
        assert not np.allclose(after.logits[~here], before.logits[~here])


def test_without_data_the_weights_are_nearly_those_of_the_product_of_experts():
    rng = np.random.default_rng(6)
    pairs, p_first, right = simulated_jury(rng, n_contexts=2)
    faint = 0.5 + (p_first - 0.5) / 1_000

    learned = learn_judge_weights(pairs, judge_logits(faint), right)

    assert learned.weights == pytest.approx([1 / 3] * 3, abs=0.01)


@pytest.mark.parametrize("known_contexts", [0, 1])
def test_preferences_in_fewer_than_two_contexts_are_too_few(known_contexts):
    pairs, p_first, right = simulated_jury(np.random.default_rng(7), n_contexts=5)
    few = np.where(pairs.contexts < known_contexts, right, np.nan)

    with pytest.raises(Undefined, match="fewer than two"):
        cross_fitted_logits(pairs, judge_logits(p_first), few)


def penalised_weight(signed):
    """The weight of one judge by a search on the loss itself. signed: its log-odds towards people's choices."""
    loss = lambda weight: np.logaddexp(0, -weight * signed).sum() + (weight - 1) ** 2 / 2  # noqa: E731
    return minimize_scalar(loss, bracket=(-1, 2), tol=1e-12).x


def test_one_judge_is_calibrated_by_a_logistic_regression_on_the_other_contexts():
    pairs, p_first, right = simulated_jury(np.random.default_rng(3), skills=(1.5,), biases=(0.8,), n_contexts=40)
    logits = judge_logits(p_first)

    fitted = cross_fitted_logits(pairs, logits, right)

    for fold in range(5):
        here = fitted.folds[pairs.contexts] == fold
        bias = logits[0, ~here].mean()  # every pair is asked in both orders
        weight = penalised_weight(((2 * right - 1) * (logits[0] - bias))[~here])
        assert fitted.logits[here] == pytest.approx(weight * (logits[0, here] - bias), abs=1e-4)


def test_calibrated_judge_is_surer_only_where_it_is_right():
    """The judge's log-odds are three times as far from zero as its skill allows."""
    rng, n = np.random.default_rng(5), 2000
    logits = 3 * rng.normal(size=n)
    pairs = Comparisons(2 * n, 2 * np.arange(n), 2 * np.arange(n) + 1, expit(logits), 2 * np.arange(n))
    right = (rng.random(n) < expit(logits / 3)).astype(float)

    calibrated = pairs.with_p_first(expit(cross_fitted_logits(pairs, logits[None], right).logits))

    assert learn_judge_weights(pairs, logits[None], right).weights[0] == pytest.approx(1 / 3, abs=0.05)
    for measure in (calibration_error, brier_score):
        assert measure(calibrated, right).high < measure(pairs, right).low
    assert calibration_error(calibrated, right).value < 0.03


def test_few_contexts_that_agree_by_chance_have_a_wide_interval():
    rng, covered = np.random.default_rng(6), 0
    for _ in range(200):
        logits = rng.normal(0, 2, 8)
        pairs = Comparisons(16, 2 * np.arange(8), 2 * np.arange(8) + 1, expit(logits), 2 * np.arange(8))
        learned = learn_judge_weights(pairs, logits[None], (rng.random(8) < expit(logits)).astype(float))
        covered += learned.low[0] <= 1 <= learned.high[0]

    assert covered >= 190
