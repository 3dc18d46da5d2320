"""Weights and biases of judges, learned from their answers alone."""

import numpy as np
import pytest
from scipy.special import expit

from evenhand.numerics import Undefined
from evenhand.numerics.accuracy import accuracy
from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.decisions import decide
from evenhand.numerics.juries.bt_sigma import fit_bt_sigma
from evenhand.numerics.juries.judge_weights import judge_logits
from tests.evenhand.numerics.juries.simulated_juries import accuracies, simulated_jury

DRAWS = 50
LOUD_GUESSER = {"skills": (0.3, 0.3, 0.3, 0.0), "noises": (0.3, 0.3, 0.3, 3.0)}


def fitted(p_first, pairs):
    return fit_bt_sigma(pairs, judge_logits(p_first))


def own_accuracy(pairs, jury, right):
    return accuracy(pairs, right, decide(jury.logits, 0.0)).value


def test_a_jury_beats_its_best_member_if_errors_are_independent():
    rng, better = np.random.default_rng(1), 0

    for _ in range(DRAWS):
        pairs, p_first, right = simulated_jury(rng, skills=(1.0,) * 5)
        better += own_accuracy(pairs, fitted(p_first, pairs), right) > accuracies(pairs, p_first, right).max()

    assert better >= 48


@pytest.mark.parametrize(
    "members",
    [
        pytest.param({"skills": (1.0, 1.0, 1.0, 0.0)}, id="a member that guesses"),
        pytest.param({"skills": (1.0, 1.0, 1.0, -1.0)}, id="a member that prefers the worse candidate"),
        pytest.param(LOUD_GUESSER, id="a confident member that guesses, among hesitant ones"),
    ],
)
def test_one_bad_member_is_found_and_makes_the_jury_no_worse(members):
    rng, not_worse, smallest = np.random.default_rng(2), 0, 0

    for _ in range(DRAWS):
        pairs, p_first, right = simulated_jury(rng, **members)
        jury = fitted(p_first, pairs)
        not_worse += own_accuracy(pairs, jury, right) >= accuracies(pairs, p_first, right).max()
        smallest += jury.judges.weights.argmin() == 3

    assert not_worse >= 48
    assert smallest == DRAWS


def test_intervals_of_a_guessing_member_hold_zero_and_those_of_good_members_do_not():
    rng, holds_zero, good_above_zero = np.random.default_rng(3), 0, 0

    for _ in range(DRAWS):
        pairs, p_first, _ = simulated_jury(rng, skills=(1.0, 1.0, 1.0, 0.0), n_contexts=40, n_candidates=4)
        judges = fitted(p_first, pairs).judges
        holds_zero += judges.low[3] <= 0 <= judges.high[3]
        good_above_zero += (judges.low[:3] > 0).all()

    assert holds_zero >= 44  # 95 % intervals
    assert good_above_zero == DRAWS


def test_intervals_hold_the_estimate_of_very_many_contexts():
    rng, held = np.random.default_rng(4), np.zeros(4)
    members = {"skills": (1.0, 1.0, 0.6, 0.2), "biases": (2.0, 0.0, -1.0, 0.0)}
    pairs, p_first, _ = simulated_jury(rng, n_contexts=10_000, **members)
    settled = fitted(p_first, pairs).judges

    for _ in range(DRAWS):
        pairs, p_first, _ = simulated_jury(rng, n_contexts=100, **members)
        judges = fitted(p_first, pairs).judges
        held += (judges.low <= settled.weights) & (settled.weights <= judges.high)
        held += (judges.bias_low <= settled.biases) & (settled.biases <= judges.bias_high)

    assert (held >= 2 * 44).all()


def test_biases_are_found():
    pairs, p_first, _ = simulated_jury(np.random.default_rng(5), biases=(2.0, 0.0, -2.0), n_contexts=400)

    judges = fitted(p_first, pairs).judges

    assert judges.biases == pytest.approx([2.0, 0.0, -2.0], abs=0.3)


def test_weights_have_mean_square_one_and_ignore_confidence():
    pairs, p_first, _ = simulated_jury(np.random.default_rng(6), skills=(1.0, 0.7, 0.3))
    louder = judge_logits(p_first) * np.array([[4.0], [1.0], [0.1]])

    judges = fitted(p_first, pairs).judges

    assert (judges.weights**2).mean() == pytest.approx(1)
    assert fit_bt_sigma(pairs, louder).judges.weights == pytest.approx(judges.weights, abs=1e-4)


def test_answers_of_swapped_pairs_are_mirrored():
    pairs, p_first, _ = simulated_jury(np.random.default_rng(7), n_candidates=3, n_contexts=30)
    mirrored = Comparisons(pairs.n_candidates, pairs.second, pairs.first, pairs.p_first, pairs.starts)

    logits = fitted(p_first, pairs).logits

    assert fitted(1 - p_first, mirrored).logits == pytest.approx(-logits, abs=1e-3)


def test_equal_judges_without_bias_answer_as_each_of_them():
    pairs, p_first, _ = simulated_jury(np.random.default_rng(8), skills=(1.0,), n_candidates=3)
    alike = np.repeat(judge_logits(p_first), 3, axis=0)
    alike = np.where(pairs.first < pairs.second, alike, -alike[:, _reversed(pairs)])  # no position bias

    assert fit_bt_sigma(pairs, alike).logits == pytest.approx(alike[0], abs=1e-3)


def _reversed(pairs):
    """For each comparison, the number of the one that shows the same pair the other way round."""
    place = {pair: number for number, pair in enumerate(zip(pairs.first, pairs.second, strict=True))}
    return [place[second, first] for first, second in zip(pairs.first, pairs.second, strict=True)]


def test_a_member_that_always_answers_alike_has_weight_zero():
    pairs, p_first, _ = simulated_jury(np.random.default_rng(9), skills=(1.0, 1.0, 1.0, 0.0))
    p_first[3] = 0.8

    judges = fitted(p_first, pairs).judges

    assert judges.weights[3] == pytest.approx(0, abs=1e-3)
    assert expit(judges.biases[3]) == pytest.approx(0.8, abs=1e-3)


def test_pairs_in_one_order_give_no_bias():
    pairs, p_first, _ = simulated_jury(np.random.default_rng(10), biases=(1.0, 0.0, 0.0))
    once = pairs.first < pairs.second

    judges = fit_bt_sigma(pairs.select(once), judge_logits(p_first[:, once])).judges

    assert judges.biases.tolist() == [0, 0, 0]
    assert np.isnan(judges.bias_low).all()


def test_a_single_context_gives_no_interval():
    pairs, p_first, _ = simulated_jury(np.random.default_rng(11), n_contexts=1, n_candidates=8)

    assert np.isnan(fitted(p_first, pairs).judges.low).all()


def test_two_judges_are_too_few():
    pairs, p_first, _ = simulated_jury(np.random.default_rng(12), skills=(1.0, 1.0))

    with pytest.raises(Undefined, match="which of them errs"):
        fitted(p_first, pairs)


def test_answers_that_never_differ_are_refused():
    pairs, p_first, _ = simulated_jury(np.random.default_rng(13))

    with pytest.raises(Undefined, match="differ"):
        fitted(np.full_like(p_first, 0.7), pairs)
