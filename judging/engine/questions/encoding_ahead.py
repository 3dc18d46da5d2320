"""Questions in tokens: those that are asked next while the model computes those before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from judging.engine.exceptions import QuestionRefused
from judging.engine.questions.label_tokens import TokenisedPrompt
from judging.engine.questions.pair_questions import Question
from judging.engine.questions.rendering import PromptRenderer

Encoded = dict[Question, TokenisedPrompt | QuestionRefused]


class EncodingAhead:
    """Encodes as the renderer does; what it is told to expect, in a thread of its own before it is asked."""

    def __init__(self, renderer: PromptRenderer) -> None:
        self._renderer = renderer
        self._upcoming: Callable[[], Sequence[Question]] = tuple
        self._thread: ThreadPoolExecutor | None = None
        self._ahead: Future[Encoded] | None = None

    def expect(self, upcoming: Callable[[], Sequence[Question]]) -> None:
        """What will be encoded after the questions that come now: called, and begun, once those are encoded."""
        self._upcoming = upcoming

    def encode_all(self, questions: Sequence[Question]) -> list[TokenisedPrompt | QuestionRefused]:
        """The questions in tokens, or why one cannot be asked of this model."""
        known = self._known()
        if missing := [question for question in questions if question not in known]:
            known |= self._encoded(missing)
        self._begin()
        return [known[question] for question in questions]

    def close(self) -> None:
        """Wait for what is being encoded; nobody will ask it."""
        if self._thread is not None:
            self._thread.shutdown()
        self._thread = None

    def _encoded(self, questions: Sequence[Question]) -> Encoded:
        distinct = list(dict.fromkeys(questions))
        return dict(zip(distinct, self._renderer.encode_all(distinct), strict=True))

    def _known(self) -> Encoded:
        ahead, self._ahead = self._ahead, None
        if ahead is None or ahead.exception() is not None:  # what fails again is told where it is asked
            return {}
        return ahead.result()

    def _begin(self) -> None:
        upcoming, self._upcoming = self._upcoming, tuple
        if expected := upcoming():
            self._thread = self._thread or ThreadPoolExecutor(1, thread_name_prefix="encoding")
            self._ahead = self._thread.submit(self._encoded, expected)
