"""Tokenisation of the next questions while the model computes the current ones."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from evenhand.engine.exceptions import QuestionRefused
from evenhand.engine.questions.label_tokens import TokenisedPrompt
from evenhand.engine.questions.pair_questions import Question
from evenhand.engine.questions.rendering import PromptRenderer

EncodedQuestions = dict[Question, TokenisedPrompt | QuestionRefused]


class EncodingAhead:
    """Encoder of questions for one renderer. A thread encodes announced questions before they are asked."""

    def __init__(self, renderer: PromptRenderer) -> None:
        self._renderer = renderer
        self._upcoming: Callable[[], Sequence[Question]] = tuple
        self._thread: ThreadPoolExecutor | None = None
        self._ahead: Future[EncodedQuestions] | None = None

    def expect(self, upcoming: Callable[[], Sequence[Question]]) -> None:
        """Announce the questions after the next call of `encode_all`, which calls `upcoming` at its end."""
        self._upcoming = upcoming

    def encode_all(self, questions: Sequence[Question]) -> list[TokenisedPrompt | QuestionRefused]:
        """Return the tokens of each question, or the reason why this model cannot answer it."""
        known = self._take_encoded()
        if missing := [question for question in questions if question not in known]:
            known |= self._encode(missing)
        self._encode_upcoming()
        return [known[question] for question in questions]

    def close(self) -> None:
        """Wait for the thread to finish, and discard its result."""
        if self._thread is not None:
            self._thread.shutdown()
        self._thread = None

    def _encode(self, questions: Sequence[Question]) -> EncodedQuestions:
        distinct = list(dict.fromkeys(questions))
        return dict(zip(distinct, self._renderer.encode_all(distinct), strict=True))

    def _take_encoded(self) -> EncodedQuestions:
        ahead, self._ahead = self._ahead, None
        if ahead is None or ahead.exception() is not None:  # encode_all raises the same error again
            return {}
        return ahead.result()

    def _encode_upcoming(self) -> None:
        upcoming, self._upcoming = self._upcoming, tuple
        if expected := upcoming():
            self._thread = self._thread or ThreadPoolExecutor(1, thread_name_prefix="encoding")
            self._ahead = self._thread.submit(self._encode, expected)
