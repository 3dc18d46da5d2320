import math

import pytest

from evenhand.engine import Answer
from evenhand.engine.questions.pair_questions import likeliest


def test_answer_is_the_softmax_of_the_two_label_logprobs_and_exact_at_the_extremes():
    answer = Answer.from_logprobs(math.log(0.3), math.log(0.1), prompt_tokens=5)

    assert answer.p_first == pytest.approx(0.75, abs=1e-15)
    assert answer.prompt_tokens == 5

    answer = Answer.from_logprobs(-1000.0, -1001.0, prompt_tokens=1)

    assert answer.p_first == pytest.approx(1 / (1 + math.exp(-1)), abs=1e-15)
    assert Answer.from_logprobs(-1.0, -math.inf, prompt_tokens=1).p_first == 1.0


@pytest.mark.parametrize(("first", "second"), [(math.nan, -1.0), (-1.0, math.nan), (-math.inf, -math.inf)])
def test_answer_from_invalid_logprobs_is_an_error(first, second):
    answer = Answer.from_logprobs(first, second, prompt_tokens=7)

    assert answer.p_first is None
    assert answer.error == f"the model gave no probability for the label words (log-probabilities {first} and {second})"


@pytest.mark.parametrize("fields", [{}, {"p_first": 0.5, "error": "x"}, {"unparsed": True, "error": "x"}])
def test_answer_is_exactly_one_of_probability_unparsed_and_error(fields):
    with pytest.raises(ValueError, match="exactly one of"):
        Answer(**fields)


@pytest.mark.parametrize("p_first", [-0.1, 1.1, math.nan])
def test_answer_refuses_p_first_outside_0_and_1(p_first):
    with pytest.raises(ValueError, match="a probability lies in"):
        Answer(p_first=p_first)


def test_answer_among_three_labels_is_the_likeliest_and_has_no_probability():
    answer = Answer.from_three_logprobs(-2.0, -3.0, -1.0, prompt_tokens=5)

    assert (answer.choice, answer.p_first) == ("tie", None)
    assert (answer.logprob_first, answer.logprob_second, answer.logprob_tie) == (-2.0, -3.0, -1.0)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((3, 1, 2), "first"),
        ((1, 3, 2), "second"),
        ((2, 2, 1), "tie"),  # neither side is likelier than the other
        ((2, 1, 2), "tie"),
        ((1, 2, 2), "tie"),
        ((-math.inf, -math.inf, -1), "tie"),
    ],
)
def test_likeliest_is_a_side_only_if_it_exceeds_both_others(values, expected):
    assert likeliest(*values) == expected


def test_answer_from_three_invalid_logprobs_is_an_error():
    answer = Answer.from_three_logprobs(-1.0, -2.0, math.nan, prompt_tokens=1)

    assert answer.error == "the model gave no probability for the label words (log-probabilities -1.0 and -2.0 and nan)"
