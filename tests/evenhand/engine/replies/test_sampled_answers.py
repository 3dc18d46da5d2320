"""Sampled answers: p_first as a share of the samples, and scores as their mean."""

from dataclasses import replace

import pytest

from evenhand.engine import Generation, Question, ScaleQuestion
from evenhand.engine.questions.pair_questions import Request
from evenhand.engine.replies.sampled_answers import (
    Sampling,
    count_readings,
    describe_samples,
    read_samples,
    sample_answers,
    sample_scores,
)
from tests.evenhand.engine.fake_engine import FakeEngine

WHICH = Question("Which is better?", "Summary", " A", " B")
SCORE = ScaleQuestion("How good is it?", "Score:", " 1", " 10")
FIVE = Sampling(5, temperature=1.0, seed=3)


def writing(*texts):
    """Return an engine that generates these texts in order, each a continuation of the answer prefix."""
    written = iter(texts)
    return FakeEngine(generate=lambda request: next(written))


class ReplyingEngine(FakeEngine):
    """Engine whose replies do not continue an answer prefix, like an endpoint."""

    def answer_request(self, question):
        return Request(question.text)


def test_p_first_is_the_share_of_first_among_the_parsed_samples():
    batch = sample_answers(writing("A", "B", "A, I think", "A.", "neither"), [WHICH], FIVE)

    (answer,) = batch.answers
    assert (answer.p_first, answer.logprob_first, answer.unparsed, answer.error) == (3 / 4, None, False, "")


def test_every_sample_is_stored_with_its_reading():
    (answer,) = sample_answers(writing("A", "B", 'say "A"', "", "A"), [WHICH], FIVE).answers

    samples = read_samples(answer.text)
    assert [sample.text for sample in samples] == ["A", "B", 'say "A"', "", "A"]
    assert [sample.read for sample in samples] == ["first", "second", None, None, "first"]
    assert list(count_readings(samples).items()) == [("first", 2), ("second", 1), (None, 2)]
    assert describe_samples(samples) == "2 first, 1 second, 2 unparsed"


def test_answer_and_score_are_unparsed_if_all_samples_are():
    (answer,) = sample_answers(writing(*["no"] * 5), [WHICH], FIVE).answers

    assert (answer.unparsed, answer.p_first, len(read_samples(answer.text))) == (True, None, 5)

    (answer,) = sample_scores(writing(*["good"] * 5), [SCORE], FIVE).answers

    assert (answer.unparsed, answer.score) == (True, None)


def test_one_failed_request_makes_the_answer_an_error():
    texts = ["A", Generation(error="busy"), "A", "B", Generation(error="gone")]

    (answer,) = sample_answers(writing(*texts), [WHICH], FIVE).answers

    assert answer.error == "2 of 5 samples failed, the first because busy"
    assert [sample.text for sample in read_samples(answer.text)] == ["A", "A", "B"]


def test_refusal_is_an_unparsed_sample():
    texts = ["A", Generation(error="the endpoint gave no text", text="I cannot say."), "A", "B", "B"]

    (answer,) = sample_answers(writing(*texts), [WHICH], FIVE).answers

    assert (answer.p_first, read_samples(answer.text)[1].read) == (1 / 2, None)


@pytest.mark.parametrize(("text", "p_first"), [("A is a good one", None), ("Answer: A.", 1.0), ("Summary B", 0.0)])
def test_reply_without_a_prefix_must_be_the_label_word_alone(text, p_first):
    (answer,) = sample_answers(ReplyingEngine(generate=lambda _: text), [WHICH], Sampling(1, 1.0)).answers

    assert answer.p_first == p_first


@pytest.mark.parametrize(
    ("text", "p_first"),
    [("A is better", 1.0), ("B", 0.0), ("A's", 1.0), ("Apples", None), ("Summary A", None), ("", None)],
)
def test_continuation_of_the_prefix_answers_with_its_first_word(text, p_first):
    (answer,) = sample_answers(writing(text), [WHICH], Sampling(1, 1.0)).answers

    assert answer.p_first == p_first


def test_score_is_the_mean_of_the_numbers_written():
    (answer,) = sample_scores(writing("7", "10/10", "8 of 10", "7.5", "11"), [SCORE], FIVE).answers

    assert answer.score == (7 + 10 + 8) / 3
    assert [sample.read for sample in read_samples(answer.text)] == [7, 10, 8, None, None]
    assert describe_samples(read_samples(answer.text)) == "3 with a number, 2 unparsed"


def test_each_sample_has_a_seed_that_follows_from_the_runs_seed_and_the_question():
    engine, alone, other = FakeEngine(), FakeEngine(), FakeEngine()
    second = Question("And of these?", "Summary", " A", " B")

    sample_answers(engine, [WHICH, second], FIVE)
    sample_answers(alone, [second], FIVE)
    sample_answers(other, [second], Sampling(5, temperature=1.0, seed=4))

    seeds = [request.seed for request in engine.requested]
    assert len(set(seeds)) == 10
    assert seeds[5:] == [request.seed for request in alone.requested]
    assert not set(seeds[5:]).intersection(request.seed for request in other.requested)
    assert {request.temperature for request in engine.requested} == {1.0}


def test_refused_question_is_an_error_and_affects_no_other():
    refused = Question("Which is better?", "Summary", " A", " A")

    batch = sample_answers(FakeEngine(generate=lambda _: "A"), [refused, WHICH], FIVE)

    assert [answer.p_first for answer in batch.answers] == [None, 1.0]
    assert batch.answers[0].error == 'the label words "A" and "A" cannot be distinguished; choose others'


def test_tokens_of_every_sample_count():
    engine = writing(*[Generation("A", prompt_tokens=10, generated_tokens=2)] * 5)

    batch = sample_answers(engine, [WHICH], FIVE)

    assert (batch.answers[0].prompt_tokens, batch.computed_tokens) == (50, 60)


@pytest.mark.parametrize(
    ("texts", "choice"),
    [(("A", "A", "B", "C", "C"), "tie"), (("A", "A", "A", "C", "C"), "first"), (("A", "A", "B", "B", "C"), "tie")],
)
def test_samples_with_ties_give_the_choice_of_most_samples(texts, choice):
    (answer,) = sample_answers(writing(*texts), [replace(WHICH, label_tie=" C")], FIVE).answers

    assert (answer.choice, answer.p_first) == (choice, None)
    assert [sample.read for sample in read_samples(answer.text)][-1] == ("second" if texts[-1] == "B" else "tie")
