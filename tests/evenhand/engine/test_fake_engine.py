import pytest

from evenhand.engine import Answer, Question, Request
from tests.evenhand.engine.fake_engine import FakeEngine

QUESTION = Question("Which?", "Summary", " A", " B")


def test_fake_engine_answers_the_same_question_the_same_at_every_call():
    first, second = (FakeEngine().p_first([QUESTION]) for _ in range(2))

    assert first == second


def test_fake_engine_answers_by_a_function_of_the_question():
    engine = FakeEngine(lambda question: 0.9 if question is QUESTION else Answer(error="no"))

    answers = engine.p_first([QUESTION, Question("Who?", "", "A", "B")]).answers

    assert [(answer.p_first, answer.error) for answer in answers] == [(0.9, ""), (None, "no")]
    assert engine.asked[0] is QUESTION


def test_fake_engine_raises_the_error_of_its_function():
    def breaks(question):
        raise RuntimeError("lost the device")

    with pytest.raises(RuntimeError, match="lost the device"):
        FakeEngine(breaks).p_first([QUESTION])


def test_fake_engine_generates_by_a_function_of_the_request():
    engine = FakeEngine(generate=lambda request: f"about {request.text}")

    assert engine.generate([Request("boats")])[0].text == "about boats"
