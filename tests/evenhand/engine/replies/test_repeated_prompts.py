"""Replies that repeat the prompt in place of an answer: a copied label is no verdict."""

import re

import pytest

from evenhand.engine.questions.copied_labels import Shown
from evenhand.engine.questions.reply_questions import ReplyQuestion
from evenhand.engine.questions.scale_questions import ScaleQuestion
from evenhand.engine.questions.verdict_patterns import VerdictPattern
from evenhand.engine.replies.label_probabilities import label_words
from evenhand.engine.replies.reply_verdicts import read_verdict
from evenhand.engine.replies.score_probabilities import find_score, find_score_continuation
from evenhand.prompting.methods import PROMPTED
from evenhand.prompting.prompt_files import load_shipped_prompts
from evenhand.prompting.wording import Wording
from tests.evenhand.prompting.prompt_texts import prompt

FIRST = "My neighbour's dog barks all night, and I cannot sleep.\nWhat can I do?"
SECOND = "1. Talk to the neighbour.\n2. Yes, be polite."
WORDING = Wording("overall", candidate_noun="output", context_noun="instruction", definition="How good it is.")
ANSWERING = [one for one in load_shipped_prompts() if PROMPTED[one.method].has_labels]


def questions(shipped, first=FIRST, second=SECOND):
    worded = shipped.worded(WORDING)
    if PROMPTED[shipped.method].is_scoring:
        return [worded.score_question(context="Write.", candidate=one) for one in (first, second)]
    return [worded.question(context="Write.", first=first, second=second)]


def read(question, reply, *, complete=False):
    """Return the verdict that a reply to a question is read as; None for none."""
    if isinstance(question, ReplyQuestion):
        verdict = read_verdict(reply, question.pattern, complete=complete, shown=question.shown).verdict
        return verdict and verdict.reading
    return (
        find_score(reply, question) if isinstance(question, ScaleQuestion) else label_words(question).find_answer(reply)
    )


def pair_question(heading, *, prefix="", first=" A", second=" B", texts=(FIRST, SECOND)):
    template = f"{heading} {first.strip()}: <A>\n\n{heading} {second.strip()}: <B>\n\nWhich is better?"
    worded = prompt(template, answer_prefix=prefix, label_first=first, label_second=second).worded(WORDING)
    return worded.question(context="", first=texts[0], second=texts[1])


@pytest.mark.parametrize("shipped", ANSWERING, ids=lambda one: one.name)
def test_beginning_of_any_line_of_a_prompt_is_no_verdict(shipped):
    for question in questions(shipped):
        for line in re.finditer(r"^.*\w.*$", question.text, re.MULTILINE):
            rest = question.text[line.start() :]
            ends = [word.end() for word in re.finditer(r"\S+\s*", rest)]
            copied = [rest[:end] for end in ends[1:40]]

            assert [text for text in copied if read(question, text) is not None] == []


@pytest.mark.parametrize(
    ("heading", "label"),
    [("Output", "A"), ("Summary", "A"), ("Response", "1"), ("# Assistant", "A"), ("Output", "(a)")],
)
@pytest.mark.parametrize("between", [":\n", ": ", ":\n\n", ":**\n", "\n", " \n\n"])
def test_label_before_its_candidate_is_no_verdict(heading, label, between):
    question = pair_question(heading, prefix=heading.strip("# "), first=f" {label}", second=" other")
    whole, cut = (f"{heading} {label}{between}{text}" for text in (FIRST, "My neighbour's do"))

    assert [read(question, reply) for reply in (whole, cut)] == [None, None]
    assert read(question, f"{heading.strip('# ')} {label}.\nIt is shorter.") == label


@pytest.mark.parametrize("reply", ["Output A:", "**Output A:**", "Output B?", "output a :\n"])
def test_heading_or_question_of_the_prompt_is_no_verdict(reply):
    worded = prompt("Output A: <A>\nOutput B: <B>\nOutput A or Output B?", answer_prefix="Output").worded(WORDING)

    assert read(worded.question(context="", first="x", second="y"), reply) is None


def test_label_with_a_colon_is_a_verdict_where_no_candidate_has_such_a_heading():
    worded = prompt("<A>\n---\n<B>\n---\nIs A or B better?").worded(WORDING)
    question = pair_question("Output", prefix="Output", texts=("Paris", "Lyon"))

    assert read(worded.question(context="", first="x y", second="z"), "A:\nIt is shorter.") == "A"
    assert read(worded.question(context="", first="x y", second="z"), "B:") == "B"
    assert read(question, "Output A:\nParis") is None
    assert read(question, "Output A:\nParis\n\nOutput B:\nLyon") is None
    assert read(question, "A\nParis is right.") == "A"


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("A\n\nMy first thought is", "A"),
        ("A\n\nMy", "A"),
        ("A:\nMy", None),
        ("A\nMy neighbour", None),
        ("B\nOne. Talk to the neighbour.", "B"),
        ("Answer: B\n\nIt is polite.", "B"),
    ],
)
def test_explanation_after_a_label_is_no_copy_unless_it_begins_as_a_candidate(reply, verdict):
    assert read(pair_question("Output", prefix="Output"), reply) == verdict


@pytest.mark.parametrize(
    ("text", "word"),
    [(" A: My neighbour's dog", None), (" A or Output B?", None), (" A is better than Output B", "A"), (" A.", "A")],
)
def test_continuation_that_repeats_the_prompt_is_no_verdict(text, word):
    template = "Output A: <A>\n\nOutput B: <B>\n\nOutput A or Output B?"
    question = prompt(template, answer_prefix="Output").worded(WORDING).question(context="", first=FIRST, second=SECOND)

    assert label_words(question).find_continuation(text) == word


@pytest.mark.parametrize(
    ("text", "score"),
    [("1. Talk to the neighbour", None), (" 1 and 10 that", None), (" 1 of 10", 1), ("1\n\nTalk is cheap", 1)],
)
def test_score_that_only_repeats_the_prompt_is_none(text, score):
    question = ScaleQuestion("Give a score between 1 and 10", "Score:", " 1", " 10", candidates=(SECOND,))

    assert find_score_continuation(text, question) == score


def test_word_of_yes_or_no_that_begins_the_candidate_is_no_answer():
    question = next(one for one in ANSWERING if one.name == "unieval-2")
    (asked, _) = questions(question, first="Yes\nyou can ask the neighbour.")

    assert read(asked, "Yes\nyou can ask") is None
    assert read(asked, "Yes\nIt is polite.") == "Yes"


MARKS = VerdictPattern(("[[<verdict>]]",), "A", "B")
INSTRUCTION = 'Always end your reply with "[[A]]" if Output A is better, or "[[B]]" if Output B is.'


@pytest.mark.parametrize(
    ("reply", "complete", "choice"),
    [
        ('your reply with "[[A]]" if Output', False, None),
        ('your reply with "[[A]]" if Output', True, None),
        ('[[A]]" if Output A is', False, None),
        ("[[A]] if Output A is", True, "first"),
        ('Always end your reply with "[[A]]"', False, None),
        ("I end my reply with [[A]]", True, "first"),
        ("Output A is better, so [[A]]", True, "first"),
        ("[[A]] because it is", False, "first"),
    ],
)
def test_verdict_within_the_words_of_the_instructions_is_none(reply, complete, choice):
    verdict = read_verdict(reply, MARKS, complete=complete, shown=Shown(INSTRUCTION)).verdict

    assert (verdict and verdict.reading) == choice


def test_verdict_at_the_beginning_is_none_if_a_candidate_follows():
    pattern = VerdictPattern(("Output (<verdict>)",), "a", "b", place="start")
    shown = Shown(f"Output (a):\n{FIRST}", (FIRST, SECOND))

    reading = read_verdict("Output (a):\nMy neighbour's dog", pattern, shown=shown)

    assert (reading.verdict, reading.problem) == (None, "no-verdict")
    assert read_verdict("Output (a): it is longer.", pattern, shown=shown).verdict.reading == "first"
