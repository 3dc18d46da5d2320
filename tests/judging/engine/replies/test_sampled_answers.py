"""Sampled answers: shares of the texts that name one of the two, means of the numbers that texts give."""

from dataclasses import replace

import pytest

from judging.engine import Generation, Question, ScaleQuestion
from judging.engine.fake import FakeEngine
from judging.engine.questions.pair_questions import Request
from judging.engine.replies.sampled_answers import (
    Sampling,
    count_reads,
    sample_answers,
    sample_scores,
    samples_of,
    told_of,
)

WHICH = Question("Which is better?", "Summary", " A", " B")
SCORE = ScaleQuestion("How good is it?", "Score:", " 1", " 10")
FIVE = Sampling(5, temperature=1.0, seed=3)


def writing(*texts):
    """An engine that writes these texts one after the other, for judges whose answers go on after the prefix."""
    written = iter(texts)
    return FakeEngine(generate=lambda request: next(written))


class ReplyingEngine(FakeEngine):
    """One that begins a reply of its own, as an endpoint does."""

    def answer_request(self, question):
        return Request(question.text)


def test_p_first_is_the_share_of_first_among_the_samples_that_name_one():
    batch = sample_answers(writing("A", "B", "A, I think", "A.", "neither"), [WHICH], FIVE)

    (answer,) = batch.answers
    assert (answer.p_first, answer.logprob_first, answer.unparsed, answer.error) == (3 / 4, None, False, "")


def test_every_sample_is_kept_with_what_was_read_of_it():
    (answer,) = sample_answers(writing("A", "B", 'say "A"', "", "A"), [WHICH], FIVE).answers

    samples = samples_of(answer.text)
    assert [sample.text for sample in samples] == ["A", "B", 'say "A"', "", "A"]
    assert [sample.read for sample in samples] == ["first", "second", None, None, "first"]
    assert list(count_reads(samples).items()) == [("first", 2), ("second", 1), (None, 2)]
    assert told_of(samples) == "2 first, 1 second, 2 unparsed"


def test_samples_that_all_name_neither_are_unparsed():
    (answer,) = sample_answers(writing(*["no"] * 5), [WHICH], FIVE).answers

    assert (answer.unparsed, answer.p_first, len(samples_of(answer.text))) == (True, None, 5)


def test_one_failed_request_makes_the_answer_an_error():
    texts = ["A", Generation(error="busy"), "A", "B", Generation(error="gone")]

    (answer,) = sample_answers(writing(*texts), [WHICH], FIVE).answers

    assert answer.error == "2 of 5 samples failed, the first because busy"
    assert [sample.text for sample in samples_of(answer.text)] == ["A", "A", "B"]


def test_refusal_is_a_sample_that_names_neither():
    texts = ["A", Generation(error="the endpoint gave no text", text="I cannot say."), "A", "B", "B"]

    (answer,) = sample_answers(writing(*texts), [WHICH], FIVE).answers

    assert (answer.p_first, samples_of(answer.text)[1].read) == (1 / 2, None)


@pytest.mark.parametrize(("text", "p_first"), [("A is a good one", None), ("Answer: A.", 1.0), ("Summary B", 0.0)])
def test_reply_of_a_judge_that_is_given_no_prefix_has_to_be_the_label_word_alone(text, p_first):
    (answer,) = sample_answers(ReplyingEngine(generate=lambda _: text), [WHICH], Sampling(1, 1.0)).answers

    assert answer.p_first == p_first


@pytest.mark.parametrize(
    ("text", "p_first"),
    [("A is better", 1.0), ("B", 0.0), ("A's", 1.0), ("Apples", None), ("Summary A", None), ("", None)],
)
def test_text_that_goes_on_after_the_prefix_answers_with_how_it_begins(text, p_first):
    (answer,) = sample_answers(writing(text), [WHICH], Sampling(1, 1.0)).answers

    assert answer.p_first == p_first


def test_score_is_the_mean_of_the_numbers_written():
    (answer,) = sample_scores(writing("7", "10/10", "8 of 10", "7.5", "11"), [SCORE], FIVE).answers

    assert answer.score == (7 + 10 + 8) / 3
    assert [sample.read for sample in samples_of(answer.text)] == [7, 10, 8, None, None]
    assert told_of(samples_of(answer.text)) == "3 with a number, 2 unparsed"


def test_samples_without_a_number_are_an_unparsed_score():
    (answer,) = sample_scores(writing(*["good"] * 5), [SCORE], FIVE).answers

    assert (answer.unparsed, answer.score) == (True, None)


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


def test_question_that_cannot_be_asked_is_an_error_of_its_own():
    refused = Question("Which is better?", "Summary", " A", " A")

    batch = sample_answers(FakeEngine(generate=lambda _: "A"), [refused, WHICH], FIVE)

    assert [answer.p_first for answer in batch.answers] == [None, 1.0]
    assert batch.answers[0].error == 'the label words "A" and "A" cannot be told apart; choose others'


def test_tokens_of_every_sample_count():
    engine = writing(*[Generation("A", prompt_tokens=10, generated_tokens=2)] * 5)

    batch = sample_answers(engine, [WHICH], FIVE)

    assert (batch.answers[0].prompt_tokens, batch.computed_tokens) == (50, 60)


@pytest.mark.parametrize(
    ("texts", "choice"),
    [(("A", "A", "B", "C", "C"), "tie"), (("A", "A", "A", "C", "C"), "first"), (("A", "A", "B", "B", "C"), "tie")],
)
def test_samples_of_a_question_that_offers_a_tie_give_what_most_of_them_say(texts, choice):
    (answer,) = sample_answers(writing(*texts), [replace(WHICH, label_tie=" C")], FIVE).answers

    assert (answer.choice, answer.p_first) == (choice, None)
    assert [sample.read for sample in samples_of(answer.text)][-1] == ("second" if texts[-1] == "B" else "tie")
