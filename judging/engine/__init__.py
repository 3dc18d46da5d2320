"""Prompts in, probabilities out. `load_engine` is the only door.

Importing this package imports neither torch nor transformers: web processes import it too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from judging.engine.endpoint.chat_messages import ChatRenderer
from judging.engine.exceptions import EngineError, LoadFailed, QuestionRefused, Unavailable
from judging.engine.local.thread_waiting import sleep_while_waiting
from judging.engine.questions.likelihood_questions import LikelihoodQuestion
from judging.engine.questions.pair_questions import Answer, Batch, Generation, Question, RenderedPrompt, Request
from judging.engine.questions.scale_questions import ScaleQuestion, ScoreAnswer, ScoreBatch
from judging.engine.settings import (
    BACKENDS,
    DEMO_MODEL,
    DTYPES,
    MEASURED,
    PRODUCTS,
    Batching,
    EngineDescription,
    EngineSettings,
)

__all__ = [
    "BACKENDS",
    "DEMO_MODEL",
    "DTYPES",
    "MEASURED",
    "PRODUCTS",
    "Answer",
    "Batch",
    "Batching",
    "Engine",
    "EngineDescription",
    "EngineError",
    "EngineSettings",
    "Generation",
    "LikelihoodQuestion",
    "LoadFailed",
    "Question",
    "QuestionRefused",
    "RenderedPrompt",
    "Renderer",
    "Request",
    "ScaleQuestion",
    "ScoreAnswer",
    "ScoreBatch",
    "Unavailable",
    "load_engine",
    "load_renderer",
]


class Renderer(Protocol):
    """Shows what the tokenizer is given, without the model's weights; for an endpoint, the messages sent."""

    def render(self, question: Question) -> RenderedPrompt:
        """Raises QuestionRefused where the model's chat template fails on the question."""

    def fingerprint(self) -> str:
        """Differs where prompts would read otherwise or have other tokens; empty where nothing is tokenised here."""


class Engine(Renderer, Protocol):
    """A judge that is ready to answer.

    Answers and generations come in the order asked. What is wrong with one question (too long for the model, label
    words that cannot be told apart, a model that gives NaN) is the error of its answer, and harms no other.
    """

    def p_first(self, questions: Sequence[Question]) -> Batch: ...

    def expect(self, upcoming: Callable[[], Sequence[Question]]) -> None:
        """Announce the questions of the call after the next, so that they are tokenised during the next one.

        upcoming: called in that call, or never.
        """

    def scores(self, questions: Sequence[ScaleQuestion]) -> ScoreBatch: ...

    def log_likelihoods(self, questions: Sequence[LikelihoodQuestion]) -> ScoreBatch:
        """Each score the mean natural log-probability of the text's tokens. Raises EngineError at an endpoint."""

    def generate(self, requests: Sequence[Request]) -> list[Generation]: ...

    def answer_request(self, question: Question) -> Request:
        """How an answer to a question is asked for that is written, not read off. Raises QuestionRefused."""

    def describe(self) -> EngineDescription: ...

    def close(self) -> None:
        """Let go of the weights. The engine answers nothing afterwards."""


def load_engine(settings: EngineSettings) -> Engine:
    """Load a judge. Raises LoadFailed, with a reason a person can act on."""
    sleep_while_waiting()
    if settings.backend == "openai":
        from judging.engine.endpoint.openai_engine import load_endpoint_engine

        return load_endpoint_engine(settings)
    if settings.backend == "metric":
        from judging.engine.metrics.metric_engine import load_metric_engine

        return load_metric_engine(settings)
    from judging.engine.local.loading import load_local_engine

    return load_local_engine(settings)


def load_renderer(settings: EngineSettings) -> Renderer:
    """Load what renders prompts: the tokenizer and the configuration; nothing for an endpoint or a metric.

    Raises LoadFailed.
    """
    sleep_while_waiting()
    if settings.backend == "openai":
        return ChatRenderer()
    if settings.backend == "metric":
        from judging.engine.metrics.metric_engine import MetricRenderer

        return MetricRenderer()
    from judging.engine.local.loading import load_local_renderer

    return load_local_renderer(settings)
