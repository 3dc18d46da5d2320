"""Answers from one reply: probabilities at the verdict's label word, or the verdict as written."""

import math
from dataclasses import replace

import pytest

from evenhand.engine import EngineSettings, Generation, Question, Thinking, load_engine
from evenhand.engine.questions.pair_questions import WrittenToken
from evenhand.engine.questions.reply_questions import ReplyQuestion
from evenhand.engine.questions.scale_questions import ScaleQuestion
from evenhand.engine.questions.verdict_patterns import VerdictPattern
from evenhand.engine.replies.reasoned_replies import ask_replies, score_replies
from evenhand.engine.replies.sampled_answers import Sampling, read_samples, sample_answers, sample_scores
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.evenhand.engine.reference import Reference
from tests.evenhand.engine.tiny_models import save_model

MARKS = VerdictPattern(("[[<verdict>]]",), "A", "B")
WITH_TIES = VerdictPattern(("[[<verdict>]]",), "A", "B", "C")
RESULT = VerdictPattern(("[RESULT] <score>",), "1", "5", place="end")
SCORES = VerdictPattern(("<score A> <score B>",), "1", "10", place="start")


def ask(pattern, text="Which is better?", **settings):
    return ReplyQuestion(text, "", pattern.first, pattern.second, "Be fair.", pattern.tie, pattern=pattern, **settings)


class ReplyingEngine:
    """An engine that gives recorded replies, and lets another engine read probabilities."""

    def __init__(self, replies, *, reads_with=None):
        self.replies = iter(replies)
        self.reads_with = reads_with or FakeEngine()
        self.requested = []

    def generate(self, requests):
        self.requested += requests
        return [next(self.replies) for _ in requests]

    def __getattr__(self, name):
        return getattr(self.reads_with, name)


def written(text, **fields):
    return Generation(text, **{"prompt_tokens": 10, "generated_tokens": 5} | fields)


class Hosted(FakeEngine):
    """An engine whose probabilities are those that come with its replies, as of an endpoint."""

    def describe(self):
        return replace(super().describe(), family="endpoint")

    def p_first(self, questions):
        raise AssertionError("an endpoint cannot continue its own reply")


@pytest.mark.parametrize("kind", ["llama", "t5"])
def test_local_model_reads_the_label_words_after_its_own_reply(tmp_path, kind):
    local = load_engine(EngineSettings("transformers", str(save_model(tmp_path, kind, opening="<s>"))))
    engine = ReplyingEngine([written("B is long. [[A]] I say.", lead="\n")], reads_with=local)

    (answer,) = ask_replies(engine, [ask(MARKS)]).answers

    before = "\nB is long. [["
    rendered = local.render(Question("Which is better?", before, "A", "B", "Be fair.", follows_reply=True))
    assert rendered.answer_prefix == before
    assert answer.p_first == pytest.approx(Reference(tmp_path).p_first(rendered), abs=1e-5)
    assert (answer.thinking, answer.text, answer.problem) == ("\nB is long. ", "[[A]] I say.", "")


def test_local_model_chooses_the_likeliest_of_three_label_words(tmp_path):
    local = load_engine(EngineSettings("transformers", str(save_model(tmp_path, "llama", opening="<s>"))))
    engine = ReplyingEngine([written("B is long. [[A]] I say.")], reads_with=local)

    (answer,) = ask_replies(engine, [ask(WITH_TIES)]).answers

    whole = Question("Which is better?", "B is long. [[", "A", "B", "Be fair.", "C", follows_reply=True)
    (expected,) = local.p_first([whole]).answers
    assert (answer.p_first, answer.choice) == (None, expected.choice)
    assert answer.logprob_tie == pytest.approx(expected.logprob_tie, abs=1e-5)


def test_local_model_reads_the_scale_after_its_own_reply(tmp_path):
    local = load_engine(EngineSettings("transformers", str(save_model(tmp_path, "llama", opening="<s>"))))
    engine = ReplyingEngine([written("Clear. [RESULT] 4")], reads_with=local)

    (answer,) = score_replies(engine, [ask(RESULT)]).answers

    scale = ScaleQuestion("Which is better?", "Clear. [RESULT] ", "1", "5", "Be fair.", follows_reply=True)
    assert answer.score == pytest.approx(local.scores([scale]).answers[0].score, abs=1e-5)
    assert (answer.thinking, answer.text) == ("Clear. ", "[RESULT] 4")


def test_reply_is_requested_whole_and_its_tokens_count():
    engine = ReplyingEngine([written("Short. [[B]]", shared_tokens=4)], reads_with=FakeEngine(lambda question: 0.25))

    batch = ask_replies(engine, [ask(MARKS, max_new_tokens=300)])

    (request,) = engine.requested
    assert (request.text, request.system) == ("Which is better?", "Be fair.")
    assert (request.max_new_tokens, request.answer_prefix) == (300, None)
    assert batch.answers[0].p_first == 0.25
    assert batch.answers[0].prompt_tokens == 10
    assert batch.computed_tokens == 10 - 4 + 5 + 3  # and the three words of the question once more


def test_written_verdict_is_the_choice_of_an_engine_without_probabilities():
    engine = ReplyingEngine(
        [written("Short. [[B]]"), written("Fine. [[A]]"), written("Equal. [[C]]")], reads_with=Hosted()
    )

    answers = ask_replies(engine, [ask(WITH_TIES), ask(MARKS), ask(WITH_TIES)]).answers

    assert [answer.choice for answer in answers] == ["second", "first", "tie"]


def test_two_scores_decide_without_probabilities():
    engine = ReplyingEngine([written("8 6\nYes."), written("7.5 8"), written("3 3"), written("Both 3 3")])

    answers = ask_replies(engine, [ask(SCORES, f"Pair {number}") for number in range(4)]).answers

    assert [answer.choice for answer in answers] == ["first", "second", "tie", ""]
    assert answers[0].thinking.strip() == "Yes."
    assert (answers[3].unparsed, answers[3].problem) == (True, "no-verdict")


def test_probabilities_of_an_endpoint_are_those_at_the_label_word():
    tokens = (
        WrittenToken("A", (("A", -0.1), ("B", -2.0))),
        WrittenToken(" is short. [[", ((" is short. [[", 0.0),)),
        WrittenToken("B", (("B", math.log(0.8)), ("A", math.log(0.2)))),
        WrittenToken("]]", (("]]", 0.0),)),
    )
    engine = ReplyingEngine([written("A is short. [[B]]", tokens=tokens)], reads_with=Hosted())

    (answer,) = ask_replies(engine, [ask(MARKS)]).answers

    assert answer.p_first == pytest.approx(0.2)
    assert (answer.logprob_first, answer.logprob_second) == (math.log(0.2), math.log(0.8))


def test_scale_of_an_endpoint_is_read_where_the_score_is_written():
    tokens = (
        WrittenToken("3 points. [RESULT]", (("3 points. [RESULT]", 0.0),)),
        WrittenToken(" 4", ((" 4", math.log(0.5)), (" 5", math.log(0.5)))),
    )
    engine = ReplyingEngine([written("3 points. [RESULT] 4", tokens=tokens)], reads_with=Hosted())

    (answer,) = score_replies(engine, [ask(RESULT)]).answers

    assert answer.score == pytest.approx(4.5)


def test_label_word_within_a_longer_token_is_an_error_that_says_so():
    tokens = (WrittenToken("[[B]] or so", (("[[B]] or so", 0.0),)),)
    engine = ReplyingEngine([written("[[B]] or so", tokens=tokens)], reads_with=Hosted())

    (answer,) = ask_replies(engine, [ask(MARKS)]).answers

    assert 'the label word is not one token of this model, which wrote "[[B]] or so"' in answer.error


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Generation(error="the endpoint is down"), ("the endpoint is down", False, "")),
        (Generation("I won't.", error="the endpoint gave no text: I won't."), ("", True, "refusal")),
        (written("Let me see. First", complete=False), ("", True, "cut-reasoning")),
        (written(""), ("", True, "no-verdict")),
    ],
)
def test_reply_without_a_verdict_is_unparsed_or_an_error(reply, outcome):
    (answer,) = ask_replies(ReplyingEngine([reply]), [ask(MARKS)]).answers

    assert (answer.error, answer.unparsed, answer.problem) == outcome


def test_samples_of_replies_give_the_share_of_their_verdicts():
    replies = ["Long. [[A]]", "[[A]] or [[B]]", "Dull. [[B]]", "So. [[A]]"]
    engine = ReplyingEngine([written(reply) for reply in replies])

    (answer,) = sample_answers(engine, [ask(MARKS)], Sampling(4, temperature=1.0)).answers

    assert answer.p_first == pytest.approx(2 / 3)
    assert [sample.read for sample in read_samples(answer.text)] == ["first", None, "second", "first"]
    assert len({request.seed for request in engine.requested}) == 4


def test_samples_of_two_scores_give_the_majority():
    engine = ReplyingEngine([written("8 6"), written("7 7"), written("9 1")])

    (answer,) = sample_answers(engine, [ask(SCORES)], Sampling(3, temperature=1.0)).answers

    assert answer.choice == "first"


def test_samples_of_scores_give_their_mean_and_their_common_problem():
    engine = ReplyingEngine([written("[RESULT] 4"), written("[RESULT] 2"), written("Hm."), written("Hm?")])

    first, second = sample_scores(
        engine, [ask(RESULT, "One"), ask(RESULT, "Two")], Sampling(2, temperature=1.0)
    ).answers

    assert first.score == 3.0
    assert (second.unparsed, second.problem) == (True, "no-verdict")


def test_label_word_is_read_after_the_thinking_and_the_whole_reply_is_the_text():
    thinking = Thinking(tokens=50)
    reader = FakeEngine(lambda question: 0.25)
    engine = ReplyingEngine([written("Short. [[B]]", thinking="\nHm.\n", thinking_tokens=3)], reads_with=reader)

    (answer,) = ask_replies(engine, [ask(MARKS, thinking=thinking, asks_reasoning=True)]).answers

    (continued,) = reader.asked
    assert (continued.thinking, continued.thought, continued.answer_prefix) == (thinking, "\nHm.\n", "Short. [[")
    assert (answer.p_first, answer.thinking, answer.text) == (0.25, "\nHm.\n", "Short. [[B]]")
    assert (answer.thinking_tokens, answer.problem) == (3, "")
    assert engine.requested[0].thinking == thinking


def test_verdict_after_cut_thinking_counts_only_if_the_run_reads_such_answers():
    reply = written("Short. [[B]]", thinking="Hm", problem="cut-reasoning")
    questions = [ask(MARKS, thinking=Thinking(tokens=5, reads_cut=reads_cut)) for reads_cut in (True, False)]

    read, refused = ask_replies(ReplyingEngine([reply, reply]), questions).answers

    assert (read.unparsed, read.problem) == (False, "cut-reasoning")
    assert (refused.unparsed, refused.problem) == (True, "cut-reasoning")


def test_verdict_of_a_cut_reply_counts_after_thinking_only_if_the_run_reads_such_answers():
    reply = written("Short. [[B]] And", complete=False, thinking="Hm.")
    settings = [None, Thinking(reads_cut=True), Thinking(reads_cut=False)]

    batch = ask_replies(ReplyingEngine([reply] * 3), [ask(MARKS, thinking=thinking) for thinking in settings])

    assert [answer.unparsed for answer in batch.answers] == [False, False, True]
    assert {answer.problem for answer in batch.answers} == {"cut-reasoning"}
    assert batch.answers[2].text == "Short. [[B]] And"


def test_reply_with_a_block_of_thinking_is_not_continued_and_its_written_verdict_is_the_answer():
    reader = FakeEngine(lambda question: 0.25)
    replies = [written("[THINK]Is it [[A]]?[/THINK]Short. [[B]]"), written("Short. [[B]]")]

    batch = ask_replies(ReplyingEngine(replies, reads_with=reader), [ask(MARKS)] * 2)

    assert [(answer.choice, answer.p_first) for answer in batch.answers] == [("second", None), ("", 0.25)]
    assert (batch.answers[0].thinking, batch.answers[0].text) == ("Is it [[A]]?", "Short. [[B]]")


def test_written_score_between_two_numbers_of_the_scale_is_the_answer():
    reader = FakeEngine(score=lambda question: 2.0)
    replies = [written("Fine. [RESULT] 3.5"), written("Fine. [RESULT] 3")]

    batch = score_replies(ReplyingEngine(replies, reads_with=reader), [ask(RESULT)] * 2)

    assert [answer.score for answer in batch.answers] == [3.5, 2.0]


def test_sample_that_was_cut_within_the_instructions_is_unparsed():
    question = ask(MARKS, 'Reply with "[[A]]" if A is better, or "[[B]]" if B is.')
    replies = [written('[[A]]" if A is better', complete=complete) for complete in (True, False)]

    (answer,) = sample_answers(ReplyingEngine(replies), [question], Sampling(2, 1.0)).answers

    assert [sample.read for sample in read_samples(answer.text)] == ["first", None]


def test_samples_without_a_verdict_have_their_kind_only_if_it_is_the_same():
    refusal, both = written("I'm sorry, I cannot."), written("[[A]] or [[B]]")
    replies = [refusal, refusal, refusal, both, both, refusal]

    batch = sample_answers(ReplyingEngine(replies), [ask(MARKS)] * 3, Sampling(2, 1.0))

    assert [answer.problem for answer in batch.answers] == ["refusal", "no-verdict", "no-verdict"]
