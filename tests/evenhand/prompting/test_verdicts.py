"""Verdict patterns of prompts: their checks, and the questions of prompts whose reply holds the verdict."""

import pytest

from evenhand.engine.questions.reply_questions import ReplyQuestion
from evenhand.engine.questions.verdict_patterns import find_verdicts
from evenhand.prompting.prompt_files import load_shipped_prompts
from evenhand.prompting.templates import prompt_problems
from evenhand.prompting.verdicts import make_pattern, pattern_examples
from evenhand.prompting.wording import Wording
from tests.evenhand.prompting.prompt_texts import prompt, shipped

WORDING = Wording("overall", context_noun="instruction", candidate_noun="output")
SCORING = {"method": "scoring", "template": "<A>", "label_first": "1", "label_second": "10"}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"verdict": " \n"},
            "verdict: is empty; write what the judge writes, with <verdict> or <score A> and <score B>",
        ),
        ({"verdict": "[[A]]"}, 'verdict: "[[A]]" — give <verdict> or <score A> and <score B>, once'),
        ({"verdict": "<verdict> <verdict>"}, "once"),
        ({"verdict": "Score: <score>"}, "give <verdict> or <score A> and <score B>, once"),
        ({"verdict": "<verdict>"}, "such a word may stand anywhere in a reply"),
        ({"verdict": "<verdict>", "verdict_place": "end"}, "such a word may stand anywhere in a reply"),
        ({"verdict": "[[<verdict>]]\n<score A> to <score B>"}, "its lines have different placeholders"),
        ({"verdict": "[[<verdict>]] {noun}"}, "verdict: {noun} is unknown here; known are "),
        ({"verdict": "[[<verdict>]]x <winner>"}, "verdict: <winner> is unknown here"),
        ({"verdict": "text<verdict>"}, 'verdict: "textA" would not be read'),
        ({"verdict": "[[<verdict>]]", "verdict_place": "middle"}, "give one of: anywhere, start, end"),
        ({"verdict": "[[<verdict>]]", "reply_tokens": 0}, "reply_tokens: 0 — give a whole number from 1 to 32,768"),
        ({"verdict": "[[<verdict>]]", "reply_tokens": 32_769}, "give a whole number from 1 to 32,768"),
        ({"verdict": "[[<verdict>]]", "answer_prefix": "Answer:"}, "the judge writes its whole reply"),
        ({"verdict": "S: <score A>, <score B>"}, "give the lowest and the highest of the two scores as whole numbers"),
        (
            {"verdict": "S: <score A>, <score B>", "label_first": "1", "label_second": "9", "label_tie": "5"},
            "a tie is two equal scores",
        ),
        ({"verdict": "[[<verdict>]]", "label_first": "A|"}, 'give each word between "|" once, and none empty'),
        ({"verdict": "[[<verdict>]]", "label_first": "A|B"}, 'give each word between "|" once, and none empty'),
        ({"method": "gptscore", "verdict": "[[<verdict>]]"}, "method gptscore reads no verdict from a reply"),
        (SCORING | {"verdict": "[[<verdict>]]"}, "give <score>, once"),
        (
            {"method": "cot", "verdict": "[[<verdict>]]", "reasoning_template": "<A> <B>?"},
            "reasoning_template: the reply holds the reasoning; leave it empty",
        ),
        (
            {"method": "cot", "verdict": "[[<verdict>]]", "template": "<A> <B> <reasoning>"},
            "template: line 1, column 9: <reasoning> is unknown here",
        ),
    ],
)
def test_invalid_pattern_is_refused_with_its_reason(changes, problem):
    assert problem in "; ".join(prompt_problems(prompt(**changes)))


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": "[[<verdict>]]", "reply_tokens": 32_768},
        {"verdict": "[[<verdict>]]", "reply_tokens": 1},
        {"verdict": "[[<verdict>]]", "label_tie": "C"},
        {"verdict": "{Candidate_noun} (<verdict>) is more {adjective}"},
        {"verdict": '{"winner": "<verdict>"}', "label_first": "one", "label_second": "two"},
        {"verdict": "<verdict>", "verdict_place": "start"},
        {"verdict": "<score A> <score B>", "verdict_place": "start", "label_first": "1", "label_second": "10"},
        {"method": "cot", "verdict": "[RESULT] <verdict>"},
        SCORING | {"verdict": "Rating: [[<score>]]\nRating: <score>"},
        {
            "method": "unieval",
            "template": "<A>",
            "label_first": "Yes",
            "label_second": "No",
            "verdict": "So: <verdict>",
        },
    ],
)
def test_pattern_of_every_kind_is_valid(changes):
    assert prompt_problems(prompt(**changes)) == []


def test_question_carries_the_pattern_in_the_words_of_the_dataset():
    question = shipped("cot-reply-1").worded(WORDING).question(context="Sum up.", first="One.", second="Two.")

    assert isinstance(question, ReplyQuestion)
    assert question.pattern.forms[0] == "Therefore, Output <verdict> is better"
    assert (question.pattern.labels, question.pattern.place) == (("A", "B"), "end")
    assert (question.max_new_tokens, question.asks_reasoning, question.answer_prefix) == (512, True, "")
    assert '"Therefore, Output A is better." or "Therefore, Output B is better."' in question.text


def test_question_for_a_score_carries_its_scale():
    question = shipped("prometheus-absolute-1").worded(WORDING).score_question(context="Sum up.", candidate="One.")

    assert isinstance(question, ReplyQuestion)
    assert (question.pattern.is_score, question.pattern.labels) == (True, ("1", "5"))


@pytest.mark.parametrize(
    "name", [prompt.name for prompt in load_shipped_prompts() if prompt.verdict and prompt.verdict_place != "start"]
)
def test_shipped_prompts_name_the_forms_that_their_patterns_read(name):
    worded = shipped(name).worded(WORDING)

    text = (
        worded.scoring(context="c", candidate="x")
        if worded.pattern.is_score
        else worded.comparison(context="c", first="x", second="y")
    )

    marks = ("[RESULT]",) if "prometheus" in name else pattern_examples(worded.pattern).values()
    assert all(mark in text for mark in marks)


def test_ways_to_ask_in_one_reply_are_the_methods_without_reasoning_before():
    assert shipped("cot-1").asked_method.reasons
    assert not shipped("cot-reply-1").asked_method.reasons
    assert shipped("cot-reply-1").asked_method.reasoning_tokens == 0


def test_label_of_a_pattern_may_have_several_words():
    text = prompt(verdict="[[<verdict>]]", label_first="A>B | A>>B", label_second="B>A|B>>A", label_tie="A=B")

    pattern = make_pattern(text.verdict, text)

    assert prompt_problems(text) == []
    assert [found.reading for found in find_verdicts(pattern, "[[A>>B]] [[A>B]] [[B>>A]] [[A=B]] [[A]]")] == [
        *("first", "first", "second", "tie")
    ]
    assert pattern_examples(pattern) == {"first": "[[A>B]]", "second": "[[B>A]]", "tie": "[[A=B]]"}
