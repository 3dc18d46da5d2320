import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.numerics.comparisons import Comparisons
from evenhand.numerics.debiasing import Debiasing
from evenhand.numerics.exceptions import Undefined


def of_answers(*p_first):
    n = len(p_first)
    return Debiasing.of_run(Comparisons(2 * n, 2 * np.arange(n), 2 * np.arange(n) + 1, p_first, 2 * np.arange(n)))


def test_threshold_is_the_median_of_all_answers():
    assert of_answers(0.9, 0.2, 0.7).threshold.value == 0.7
    assert of_answers(0.9, 0.2, 0.7, 0.5).threshold.value == pytest.approx(0.6)


def test_alpha_weighs_the_threshold_to_one_half():
    debiasing = of_answers(0.9, 0.75, 0.2)

    assert debiasing.alpha.value == pytest.approx(1 / 3)
    assert debiasing.p_first(np.array([0.75]))[0] == pytest.approx(0.5)


@given(st.lists(st.floats(0.01, 0.99), min_size=3, max_size=30), st.floats(0, 1))
def test_debiased_probabilities_and_decisions_turn_at_the_same_place(answers, p):
    debiasing = of_answers(*answers)
    if debiasing.threshold.undefined or abs(p - debiasing.threshold.value) < 1e-9:
        return

    assert debiasing.decide(np.array([p]))[0] == (debiasing.p_first(np.array([p]))[0] > 0.5)


def test_debiased_probability_of_a_certain_answer_is_exactly_one():
    assert of_answers(0.75, 0.75, 0.2).p_first(np.array([0.0, 1.0])).tolist() == [0, 1]


def test_decisions_at_the_threshold_are_ties():
    assert of_answers(0.9, 0.7, 0.2).decide(np.array([0.8, 0.7, 0.6])).tolist() == [1, 0.5, 0]


def test_debiased_decisions_favour_neither_side():
    p_first = np.random.default_rng(0).beta(5, 2, size=1001)

    assert of_answers(*p_first).decide(p_first).mean() == 0.5


def test_shifts_come_from_the_mean_answer_and_the_mean_decision():
    debiasing = of_answers(0.9, 0.5, 0.7, 0.7)

    assert debiasing.beta.value == pytest.approx(0.7)
    assert debiasing.beta_hard.value == pytest.approx(0.875)
    assert debiasing.gamma.value == pytest.approx(-np.log(0.7 / 0.3))


def test_hard_answers_have_shifts_but_no_threshold():
    debiasing = of_answers(1.0, 0.5, 1.0, 0.0)

    assert debiasing.threshold.undefined == "every p_first is 0, 1/2 or 1, so no threshold can be set"
    assert debiasing.alpha.undefined == debiasing.threshold.undefined
    assert (debiasing.beta.value, debiasing.beta_hard.value) == (0.625, 0.625)
    assert debiasing.gamma.value == pytest.approx(-np.log(0.625 / 0.375))
    with pytest.raises(Undefined, match="every p_first is 0, 1/2 or 1"):
        debiasing.decide(np.array([1.0]))


def test_a_threshold_of_zero_has_no_alpha():
    debiasing = of_answers(0.0, 0.0, 0.3)

    assert debiasing.threshold.value == 0
    assert debiasing.alpha.undefined == "the threshold is 0, and alpha = (1 - threshold) / threshold"
    assert debiasing.decide(np.array([0.0, 0.3])).tolist() == [0.5, 1]
    with pytest.raises(Undefined, match="the threshold is 0, so debiased probabilities do not exist"):
        debiasing.p_first(np.array([0.3]))


def test_a_threshold_of_one_has_an_alpha_but_no_debiased_probabilities():
    debiasing = of_answers(1.0, 1.0, 0.3)

    assert debiasing.alpha.value == 0
    with pytest.raises(Undefined, match="the threshold is 1"):
        debiasing.p_first(np.array([0.3]))


@pytest.mark.parametrize("answer", [0.0, 1.0])
def test_no_finite_shift_explains_a_judge_that_always_takes_one_side(answer):
    assert of_answers(answer, answer).gamma.undefined == (
        f"the mean p_first is {answer:g}, which no finite shift explains"
    )


def test_a_run_without_answers_has_no_figures():
    debiasing = Debiasing.of_run(Comparisons(2, [], [], []))

    for figure in (debiasing.threshold, debiasing.alpha, debiasing.beta, debiasing.beta_hard, debiasing.gamma):
        assert figure.undefined == "no comparison has an answer"
