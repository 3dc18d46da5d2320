"""Verdicts in replies: the one that counts, the reasoning around it, and the kinds of replies without a verdict."""

import pytest

from evenhand.engine.questions.thinking_styles import THINKING_MARKS
from evenhand.engine.questions.verdict_patterns import VerdictPattern
from evenhand.engine.replies.endpoint_reply import reply_of
from evenhand.engine.replies.reasoned_replies import join_reply, split_reply
from evenhand.engine.replies.reply_verdicts import read_verdict

MARKS = VerdictPattern(("[[<verdict>]]",), "A", "B", "C")
AT_END = VerdictPattern(("Output (<verdict>) is better",), "a", "b", place="end")
SCORES = VerdictPattern(("<score A> <score B>",), "1", "10", place="start")


@pytest.mark.parametrize(
    ("pattern", "text", "choice", "reasoning", "verdict_text"),
    [
        (MARKS, "A is short. [[B]]", "second", "A is short. ", "[[B]]"),
        (MARKS, "A is short. [[B]] So [[B]].", "second", "A is short. [[B]] So ", "[[B]]."),
        (
            AT_END,
            "Output (a) is better in style.\nTherefore, Output (b) is better.",
            "second",
            "Output (a) is better in style.\nTherefore, ",
            "Output (b) is better.",
        ),
        (SCORES, "8 6\nThe first has 3 4 more points.", "first", "\nThe first has 3 4 more points.", "8 6"),
    ],
)
def test_reply_is_split_into_reasoning_and_verdict(pattern, text, choice, reasoning, verdict_text):
    reading = read_verdict(text, pattern)

    assert (reading.verdict.reading, reading.problem) == (choice, "")
    assert split_reply(reading, pattern.place) == (reasoning, verdict_text)
    assert join_reply(reasoning, verdict_text, pattern.place) == text


@pytest.mark.parametrize(
    ("pattern", "text", "complete", "problem"),
    [
        (MARKS, "[[A]] or rather [[B]]", True, "two-verdicts"),
        (AT_END, "Output (a) is better, or Output (b) is better.", True, "two-verdicts"),
        (MARKS, "I’m sorry, but I can’t compare these.", True, "refusal"),
        (MARKS, "Both have their merits.", True, "no-verdict"),
        (MARKS, "", True, "no-verdict"),
        (MARKS, "First, the style of A is", False, "cut-reasoning"),
        (MARKS, "<think>It is [[A]].</think>I would say A.", True, "verdict-in-reasoning"),
        (MARKS, "<think>It is [[A]], or", False, "verdict-in-reasoning"),
        (MARKS, "<think>Is it A or", False, "cut-reasoning"),
        (SCORES, "The scores are:\n8 6", True, "no-verdict"),
    ],
)
def test_reply_without_a_verdict_that_counts_has_a_kind(pattern, text, complete, problem):
    reading = read_verdict(text, pattern, complete=complete)

    assert (reading.verdict, reading.problem) == (None, problem)


def test_thinking_is_no_part_of_the_answer():
    reading = read_verdict("<think>\n[[A]] at first.\n</think>\n\nShort. [[B]]", MARKS)

    assert reading.verdict.reading == "second"
    assert (reading.thinking, reading.answer) == ("[[A]] at first.", "\n\nShort. [[B]]")


@pytest.mark.parametrize(("begin", "end"), THINKING_MARKS)
@pytest.mark.parametrize("is_open", [True, False])
def test_thinking_between_the_marks_of_any_model_is_no_part_of_the_answer(begin, end, is_open):
    text = f"{begin if is_open else ''}Is it [[A]]?{end}\n[[B]]"

    reading, reply = read_verdict(text, MARKS), reply_of({"choices": [{"message": {"content": text}}]})

    assert (reading.verdict.reading, reading.thinking, reading.answer) == ("second", "Is it [[A]]?", "\n[[B]]")
    assert (reply.text, reply.reasoning) == ("\n[[B]]", "Is it [[A]]?")
    assert read_verdict(f"{begin}Is it [[A]], or", MARKS, complete=False).problem == "verdict-in-reasoning"


def test_thinking_before_the_text_precedes_a_block_within_it():
    reading = read_verdict("<think>Then B.</think>[[B]]", MARKS, thinking="First A.\n")

    assert (reading.thinking, reading.verdict.reading) == ("First A.\n\nThen B.", "second")


def test_verdict_without_reasoning_or_of_a_cut_reply_is_marked():
    assert read_verdict("**[[A]]** It is short.", MARKS, asks_reasoning=True).problem == "empty-reasoning"
    assert read_verdict("[[A]]", MARKS).problem == ""
    assert read_verdict("<think>Why?</think>[[A]]", MARKS, asks_reasoning=True).problem == ""
    assert read_verdict("Fine. [[A]] And fur", MARKS, complete=False).problem == "cut-reasoning"
    assert read_verdict("8 6\nThe fir", SCORES, complete=False).problem == ""
