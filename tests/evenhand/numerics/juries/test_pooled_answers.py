"""One answer from the answers of several judges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from evenhand.numerics.juries.judge_weights import (
    judge_logits,
    majority_decisions,
    mean_probabilities,
    weighted_product,
)

PROBABILITIES = st.lists(st.floats(1e-6, 1 - 1e-6), min_size=2, max_size=7)


@pytest.mark.parametrize(
    ("answers", "decision"),
    [
        pytest.param([0.9, 0.6, 0.1], 1.0, id="two of three prefer the first"),
        pytest.param([0.9, 0.1], 0.5, id="an even split is a tie"),
        pytest.param([0.5, 0.5, 0.2], 0.0, id="ties count for neither side"),
        pytest.param([0.5, 0.5], 0.5, id="only ties are a tie"),
    ],
)
def test_majority_is_what_more_judges_decide(answers, decision):
    assert majority_decisions(np.array(answers)[:, None]).tolist() == [decision]


@given(PROBABILITIES)
def test_mean_is_the_mean_of_the_probabilities(answers):
    assert mean_probabilities(np.array(answers)[:, None])[0] == pytest.approx(np.mean(answers), abs=1e-12)


@given(PROBABILITIES)
def test_product_with_equal_weights_has_the_mean_of_the_log_odds(answers):
    equal = np.full(len(answers), 1 / len(answers))

    combined = weighted_product(judge_logits(np.array(answers)[:, None]), equal)

    assert combined[0] == pytest.approx(expit(np.mean(logit(answers))), abs=1e-9)


@pytest.mark.parametrize("answers", [[0.1, 0.7, 0.7], [0.7, 0.6, 0.2], [0.2, 0.7, 0.6], [1e-9, 1 - 1e-9], [0.0, 1.0]])
def test_probabilities_that_cancel_out_are_an_exact_tie(answers):
    assert mean_probabilities(np.array(answers)[:, None]).tolist() == [0.5]


@pytest.mark.parametrize("answers", [[0.5, 0.5 + 1e-9], [0.4, 0.6 - 1e-9], [0.1, 0.7, 0.7 + 1e-9]])
def test_probabilities_that_nearly_cancel_out_are_no_tie(answers):
    assert mean_probabilities(np.array(answers)[:, None])[0] == pytest.approx(np.mean(answers), abs=1e-12) != 0.5


@pytest.mark.parametrize("answers", [[0.9, 0.8, 0.1, 0.2], [1e-9, 1 - 1e-9], [0.0, 1.0]])
def test_log_odds_that_cancel_out_are_an_exact_tie(answers):
    equal = np.full(len(answers), 1 / len(answers))

    assert weighted_product(judge_logits(np.array(answers)[:, None]), equal).tolist() == [0.5]


def test_certain_answers_have_finite_log_odds():
    assert judge_logits(np.array([0.0, 1.0])) == pytest.approx([logit(1e-6), -logit(1e-6)])
