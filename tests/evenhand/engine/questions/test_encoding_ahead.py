"""Tokenisation of the next questions ahead of time."""

from threading import Event, current_thread

import pytest

from evenhand.engine import Question, QuestionRefused
from evenhand.engine.questions.encoding_ahead import EncodingAhead

A, B, C = (Question(text, "Summary", " A", " B") for text in "abc")


class Renderer:
    """Encodes a question as its text, B once it is let. calls: the name of the thread, and which questions."""

    def __init__(self):
        self.calls = []
        self.let_b = Event()
        self.let_b.set()
        self.broken = ()

    def encode_all(self, questions):
        self.calls.append((current_thread().name, list(questions)))
        assert B not in questions or self.let_b.wait(60)
        if any(question in self.broken for question in questions):
            raise ValueError("cannot be read")
        return [QuestionRefused("too long") if question == C else question.text for question in questions]


@pytest.fixture
def renderer():
    return Renderer()


@pytest.fixture
def encoding(renderer):
    encoding = EncodingAhead(renderer)
    yield encoding
    encoding.close()


def here(*questions):
    return (current_thread().name, list(questions))


def ahead(*questions):
    return ("encoding_0", list(questions))


def test_encode_all_returns_the_renderers_tokens_in_order(encoding):
    first, second, third = encoding.encode_all([B, A, B])

    assert (first, second, third) == ("b", "a", "b")


def test_expected_questions_are_encoded_while_others_are_computed(encoding, renderer):
    renderer.let_b.clear()
    encoding.expect(lambda: [B])

    assert encoding.encode_all([A]) == ["a"]  # though B is not encoded yet
    renderer.let_b.set()
    assert encoding.encode_all([B]) == ["b"]
    assert renderer.calls == [here(A), ahead(B)]


def test_unexpected_questions_are_encoded_when_they_are_asked(encoding, renderer):
    encoding.expect(lambda: [B])
    encoding.encode_all([A])

    answers = encoding.encode_all([C, B])

    assert [str(answer) for answer in answers] == ["too long", "b"]
    assert renderer.calls == [here(A), ahead(B), here(C)]


def test_failure_ahead_of_time_is_raised_when_the_question_is_asked(encoding, renderer):
    renderer.broken = (B,)
    encoding.expect(lambda: [B])

    assert encoding.encode_all([A]) == ["a"]
    with pytest.raises(ValueError, match="cannot be read"):
        encoding.encode_all([B])


def test_nothing_is_encoded_ahead_without_expected_questions(encoding, renderer):
    encoding.expect(lambda: [B])
    encoding.expect(list)

    encoding.encode_all([A])

    assert renderer.calls == [here(A)]
