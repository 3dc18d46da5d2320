"""Kinds of endpoint replies that answer nothing, and of answers after thinking that was cut or is empty."""

import pytest

from evenhand.engine.questions.pair_questions import Answer, Question
from evenhand.engine.questions.thinking import Thinking
from evenhand.engine.replies.endpoint_reply import EndpointReply
from evenhand.engine.replies.label_probabilities import hard_answer, label_words
from evenhand.engine.replies.reading_problems import explain

WORDS = label_words(Question("Is A or B better?", "", " A", " B"))


def read(text, *, thinking=None, finish="stop", **fields):
    """Return the explained answer to a reply with this text."""
    reply = EndpointReply(text, (), finish, "judge", **fields)
    return explain(hard_answer(reply, WORDS), reply, WORDS.find_answer, thinking=thinking, shows_reasoning=True)


@pytest.mark.parametrize("text", ["A\nB", "A\nIt is short.\nB", "A\n\n\nAnswer: B"])
def test_two_lines_with_different_verdicts_are_two_verdicts_wherever_they_stand(text):
    assert read(text).problem == "two-verdicts"


def test_refusal_stands_at_the_beginning_of_a_reply():
    assert read("I'm sorry, I cannot say.").problem == "refusal"
    assert read("Both are fine, and I can't choose.").problem == "no-verdict"


@pytest.mark.parametrize(
    ("reasoning", "problem"), [("A\nNo:\nB", "verdict-in-reasoning"), ("A\nis long", "no-verdict")]
)
def test_verdict_in_reasoning_is_its_last_line(reasoning, problem):
    assert read("", thinking=Thinking(), reasoning=reasoning).problem == problem


@pytest.mark.parametrize(("tokens", "problem"), [(9, ""), (10, "cut-reasoning"), (11, "cut-reasoning")])
@pytest.mark.parametrize("reads_cut", [True, False])
def test_reasoning_of_the_whole_budget_was_cut_and_is_read_where_the_run_reads_it(tokens, problem, reads_cut):
    thinking = Thinking(tokens=10, reads_cut=reads_cut)

    answer = read("A", thinking=thinking, reasoning="Why?", reasoning_tokens=tokens)

    assert (answer.problem, answer.thinking_tokens) == (problem, tokens)
    assert (answer.p_first, answer.unparsed) == ((1.0, False) if reads_cut or not problem else (None, True))


def test_thinking_that_should_be_off_is_an_ignored_parameter():
    assert read("A", reasoning="Why?") == Answer(
        unparsed=True, text="A", thinking="Why?", problem="ignored-parameter", thinking_tokens=0
    )
    assert read("A").p_first == 1.0
